package dev.flyball.ops.console;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Sha256;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.ops.console.operate.ItemAction;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.operate.OperatorActions.By;
import dev.flyball.ops.console.operate.OperatorEntries.NoAnswer;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.console.operate.ScopeChange.DailyLimits;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * What operators do over HTTP. A viewer without any role in a tenant is answered as if its items
 * did not exist; one whose role is too low, with 403.
 */
final class ActionRoutes {
  /** Each action has clients of Kafka; more at the same time would cost memory. */
  private static final int AT_THE_SAME_TIME = 4;

  private final ConsoleConfig config;
  private final ConsoleAccess access;
  private final OperatorActions actions;
  private final InstantSource clock;
  private final Semaphore free = new Semaphore(AT_THE_SAME_TIME);

  ActionRoutes(
      ConsoleConfig config, ConsoleAccess access, OperatorActions actions, InstantSource clock) {
    this.config = config;
    this.access = access;
    this.actions = actions;
    this.clock = clock;
  }

  void attach(AdminServer server) {
    server.post("/actions/item", acting(this::item));
    server.post("/actions/items", acting(this::items));
    server.post("/actions/pause", acting(this::pause));
    server.post("/actions/resume", acting(this::resume));
    server.post("/actions/cap", acting(this::cap));
    server.post("/actions/budget", acting(this::budget));
    server.post("/actions/poll", acting(this::poll));
    server.post("/actions/dead-letters", acting(this::deadLetters));
  }

  /** Does what is asked, after the viewer's rights were checked. */
  private interface Acting {
    ActionAnswer act(Viewer viewer, ActionRequest asked);
  }

  private HttpHandler acting(Acting acting) {
    return exchange -> {
      Viewer viewer = access.viewer(exchange);
      ActionRequest asked = ActionRequest.read(exchange);
      if (!free.tryAcquire()) {
        exchange.getResponseHeaders().set("Retry-After", "1");
        throw new HttpProblem(429, "too many actions at the same time; repeat it");
      }
      ActionAnswer answer;
      try {
        answer = answer(acting, viewer, asked);
      } catch (HttpProblem problem) {
        if (!asked.page()) {
          throw problem;
        }
        answer = ActionAnswer.unchanged(problem.detail());
      } finally {
        free.release();
      }
      if (!asked.page() && (answer.status() == 503 || answer.status() == 409)) {
        throw new HttpProblem(answer.status(), answer.notice());
      }
      answer.write(exchange, asked.page(), asked.fields().get("back"));
    };
  }

  private static ActionAnswer answer(Acting acting, Viewer viewer, ActionRequest asked) {
    try {
      return acting.act(viewer, asked);
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(422, String.valueOf(e.getMessage()));
    } catch (NoAnswer e) {
      String line = String.valueOf(e.getMessage());
      if (!e.perhapsWritten()) {
        throw new HttpProblem(503, line);
      }
      return ActionAnswer.unconfirmed(line);
    } catch (StartFailure | KafkaFailure e) {
      throw new HttpProblem(503, String.valueOf(e.getMessage()));
    }
  }

  private ActionAnswer item(Viewer viewer, ActionRequest asked) {
    ItemAction action = ItemAction.named(asked.get("do"));
    ItemKey key = asked.key();
    requireRole(viewer, key.tenant(), action.least());
    List<CommandResult> results =
        actions.items(action, List.of(key), asked.find("session").orElse(null), by(viewer, asked));
    if (results.getFirst().unknown()) {
      throw noItem();
    }
    return ActionAnswer.of(action.label(), results);
  }

  /** The server selects: what a page showed may have changed since. */
  private ActionAnswer items(Viewer viewer, ActionRequest asked) {
    ItemAction action = ItemAction.named(asked.get("do"));
    List<ItemKey> matching = matching(viewer, asked);
    matching.forEach(item -> requireRole(viewer, item.tenant(), action.least()));
    int count = matching.size();
    String digest = digest(matching);
    Map<String, Object> counted = Map.of("count", count, "digest", digest);
    if (asked.find("confirm").isEmpty()) {
      throw new HttpProblem(422, repeat(count, digest), counted);
    }
    if (asked.number("confirm") != count) {
      throw new HttpProblem(
          409, count + " items match, not " + asked.get("confirm") + "; check them again", counted);
    }
    if (count == 0) {
      return ActionAnswer.unchanged("no item matches");
    }
    if (asked.find("digest").isEmpty()) {
      throw new HttpProblem(422, repeat(count, digest), counted);
    }
    if (!asked.get("digest").equals(digest)) {
      throw new HttpProblem(
          409, "other items match than those that were confirmed; check them again", counted);
    }
    return ActionAnswer.of(
        action.label(), actions.items(action, matching, null, by(viewer, asked)));
  }

  private static String repeat(int count, String digest) {
    return count + " items match; repeat it with confirm=" + count + " and digest=" + digest;
  }

  private List<ItemKey> matching(Viewer viewer, ActionRequest asked) {
    var filter = ItemFilter.of(asked.fields(), OperatorActions.MOST);
    try (ConsoleView view = config.view(viewer)) {
      long count = view.count(filter);
      if (count > OperatorActions.MOST) {
        throw new HttpProblem(
            422,
            count + " items match, at most " + OperatorActions.MOST + " are changed by one action",
            Map.of("count", count));
      }
      return matching(view, filter);
    }
  }

  /**
   * The items that one action on all matches changes, whatever the filter's place and limit; at
   * most as many as one action takes.
   */
  static List<ItemKey> matching(ConsoleView view, ItemFilter filter) {
    return view.items(filter.page(null, OperatorActions.MOST)).stream()
        .map(row -> ItemKey.parse(row.key()))
        .toList();
  }

  /**
   * The same for the same items, whatever their order; 32 hexadecimal digits. A count alone does
   * not confirm items: between the question and the answer one may leave and another one join.
   */
  static String digest(List<ItemKey> items) {
    return Sha256.hex(
        items.stream().map(ItemKey::toString).sorted().collect(Collectors.joining("\n")), 16);
  }

  private ActionAnswer pause(Viewer viewer, ActionRequest asked) {
    Instant until = asked.find("until").map(this::until).orElse(null);
    return change(viewer, asked, new ScopeChange.Pause(scope(asked), until));
  }

  private ActionAnswer resume(Viewer viewer, ActionRequest asked) {
    return change(viewer, asked, new ScopeChange.Resume(scope(asked)));
  }

  private ActionAnswer cap(Viewer viewer, ActionRequest asked) {
    String scope = scope(asked);
    return change(
        viewer,
        asked,
        asked.get("limit").equals("none")
            ? ScopeChange.Cap.removed(scope)
            : new ScopeChange.Cap(scope, asked.number("limit")));
  }

  private ActionAnswer budget(Viewer viewer, ActionRequest asked) {
    String usd = asked.find("dailyUsd").orElse(null);
    String tokens = asked.find("dailyTokens").orElse(null);
    if (usd == null && tokens == null) {
      throw new HttpProblem(422, "dailyUsd or dailyTokens is missing; none removes a limit");
    }
    return change(
        viewer, asked, new ScopeChange.Budget(scope(asked), new DailyLimits(usd, tokens)));
  }

  private ActionAnswer change(Viewer viewer, ActionRequest asked, ScopeChange change) {
    String tenant = Scope.tenantOf(change.scope());
    if (!tenant.isEmpty()) {
      requireRole(viewer, tenant, AccessRole.VIEWER);
    }
    if (!viewer.mayScope(change.scope(), change.least())) {
      throw denied(tenant.isEmpty() ? AccessRole.ADMIN : change.least());
    }
    return ActionAnswer.of(change, actions.change(change, by(viewer, asked)));
  }

  private ActionAnswer poll(Viewer viewer, ActionRequest asked) {
    String source = asked.get("source");
    try (ConsoleView view = config.view(viewer)) {
      if (view.sources().stream().noneMatch(each -> each.source().equals(source))) {
        throw new HttpProblem(404, "there is no such source");
      }
    }
    requireRole(viewer, TenantScope.tenantOf(source), AccessRole.OPERATOR);
    return ActionAnswer.ofPoll(actions.poll(source, by(viewer, asked)));
  }

  private ActionAnswer deadLetters(Viewer viewer, ActionRequest asked) {
    var action = DeadLetters.Action.named(asked.get("do"));
    ItemKey key = asked.key();
    requireRole(viewer, key.tenant(), AccessRole.OPERATOR);
    DeadLetters.Outcome returned = actions.deadLetters(action, key, by(viewer, asked));
    if (!returned.results().isEmpty()) {
      return ActionAnswer.of(action.label(), returned.results());
    }
    String why = returned.stay().get(key.toString());
    if (why == null) {
      throw new HttpProblem(404, "no dead letter has this key");
    }
    return ActionAnswer.unchanged(key + ": " + why);
  }

  private static void requireRole(Viewer viewer, String tenant, AccessRole least) {
    if (!viewer.may(tenant, AccessRole.VIEWER)) {
      throw noItem();
    }
    if (!viewer.may(tenant, least)) {
      throw denied(least);
    }
  }

  private static HttpProblem noItem() {
    return new HttpProblem(404, "there is no such item");
  }

  private static HttpProblem denied(AccessRole least) {
    return new HttpProblem(403, "needs the role " + least.name().toLowerCase(Locale.ROOT));
  }

  private static By by(Viewer viewer, ActionRequest asked) {
    return new By(viewer.name(), asked.why());
  }

  private static String scope(ActionRequest asked) {
    return asked.find("scope").orElse(Scope.GLOBAL);
  }

  /** A time as ISO 8601, or a whole number of minutes, hours or days from now. */
  private Instant until(String text) {
    if (text.matches("[1-9][0-9]{0,5}[mhd]")) {
      return clock.instant().plus(Duration.parse((text.endsWith("d") ? "P" : "PT") + text));
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new HttpProblem(
          422, "until: give a time such as 2026-02-10T08:00:00Z, or a span such as 30m, 2h or 1d");
    }
  }

  /**
   * What a form or a program asks to be done.
   *
   * @param fields by name; an empty field of a form is one that was not filled in
   * @param page whether a page's form asks, whose browser is sent on to a page
   */
  record ActionRequest(Map<String, String> fields, boolean page) {
    /**
     * Reads a form or a JSON object of texts, numbers and booleans.
     *
     * @throws HttpProblem 400 if it is neither, 413 if it is too long
     */
    static ActionRequest read(HttpExchange exchange) throws IOException {
      String type = exchange.getRequestHeaders().getFirst("Content-Type");
      String kind = type == null ? "" : type.split(";")[0].strip().toLowerCase(Locale.ROOT);
      String body = RequestBody.read(exchange);
      return switch (kind) {
        case "application/x-www-form-urlencoded" ->
            new ActionRequest(RequestBody.fields(body.strip()), HttpProblem.acceptsHtml(exchange));
        case "application/json" -> new ActionRequest(json(body), false);
        default ->
            throw new HttpProblem(
                400, "the body must be application/json or application/x-www-form-urlencoded");
      };
    }

    private static Map<String, String> json(String body) {
      try {
        return RecordJson.read(body, JsonBody.class).fields();
      } catch (UnreadableRecord e) {
        throw new HttpProblem(400, "the body is no JSON object of texts, numbers and booleans");
      }
    }

    /** A JSON object whose values are texts, numbers and booleans, all read as texts. */
    private record JsonBody(Map<String, String> fields) {
      @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
      private JsonBody {
        fields.values().removeIf(Objects::isNull);
      }
    }

    /** A field; empty if it is missing or blank. */
    Optional<String> find(String name) {
      return Optional.ofNullable(fields.get(name)).map(String::strip).filter(it -> !it.isEmpty());
    }

    /**
     * A field that must be there.
     *
     * @throws HttpProblem 422 if it is not
     */
    String get(String name) {
      return find(name).orElseThrow(() -> new HttpProblem(422, name + " is missing"));
    }

    /**
     * A field that is a whole number.
     *
     * @throws HttpProblem 422 if it is not
     */
    int number(String name) {
      String text = get(name);
      if (!text.matches("[0-9]{1,9}")) {
        throw new HttpProblem(422, name + " is not a whole number");
      }
      return Integer.parseInt(text);
    }

    /**
     * The key of an item.
     *
     * @throws HttpProblem 422 if it is not one
     */
    ItemKey key() {
      try {
        return ItemKey.parse(get("key"));
      } catch (IllegalArgumentException e) {
        throw new HttpProblem(422, "key is not tenant/source/id");
      }
    }

    /**
     * The reason for the record; may be empty.
     *
     * @throws HttpProblem 422 if it is too long
     */
    String why() {
      String why = find("why").orElse("");
      if (why.length() > Command.MOST_WHY) {
        throw new HttpProblem(422, "why has more than " + Command.MOST_WHY + " characters");
      }
      return why;
    }
  }
}
