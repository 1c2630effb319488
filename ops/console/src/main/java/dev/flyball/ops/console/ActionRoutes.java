package dev.flyball.ops.console;

import static java.util.Map.entry;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.Labelled;
import dev.flyball.contract.text.Sha256;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.access.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.ops.console.operate.ItemAction;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.OperatorEntries.NoAnswer;
import dev.flyball.ops.console.operate.Outcome;
import dev.flyball.ops.console.operate.Outcome.Answer;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.ops.console.operate.ScopeChange;
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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What operators do over HTTP. A viewer without any role in a tenant is answered as if its items
 * did not exist; one whose role is too low, with 403.
 */
final class ActionRoutes {
  /** Each action has clients of Kafka; more at the same time would cost memory. */
  private static final int AT_THE_SAME_TIME = 4;

  /**
   * How long Kafka may take to accept a change, and then how long its effect is waited for; a
   * client that waits longer asks for the item.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ConsoleConfig config;
  private final ConsoleAccess access;
  private final KafkaClients clients;
  private final InstantSource clock;
  private final Semaphore free = new Semaphore(AT_THE_SAME_TIME);

  ActionRoutes(
      ConsoleConfig config, ConsoleAccess access, KafkaSettings kafka, InstantSource clock) {
    this.config = config;
    this.access = access;
    this.clients = new KafkaClients(kafka, "operator");
    this.clock = clock;
  }

  /** Each action checks the viewer's rights, and does what is asked. */
  void attach(AdminServer server) {
    Map<String, Function<Asked, Answer>> actions =
        Map.ofEntries(
            entry("item", this::item),
            entry("items", this::items),
            entry("pause", asked -> change(asked, ScopeChange.pause(asked.scope(), until(asked)))),
            entry("resume", asked -> change(asked, ScopeChange.resume(asked.scope()))),
            entry("cap", asked -> change(asked, cap(asked))),
            entry("budget", asked -> change(asked, budget(asked))),
            entry("poll", this::poll),
            entry("dead-letters", this::deadLetters));
    actions.forEach((name, action) -> server.post("/actions/" + name, handler(action)));
  }

  private HttpHandler handler(Function<Asked, Answer> action) {
    return exchange -> {
      Asked asked = Asked.read(exchange, access.viewer(exchange));
      if (!free.tryAcquire()) {
        exchange.getResponseHeaders().set("Retry-After", "1");
        throw new HttpProblem(429, "too many actions at the same time; repeat it");
      }
      Answer answer;
      try {
        answer = answer(action, asked);
      } catch (HttpProblem problem) {
        if (!asked.page()) {
          throw problem;
        }
        answer = Answer.of(Effect.UNCHANGED, problem.detail());
      } finally {
        free.release();
      }
      write(exchange, asked, answer);
    };
  }

  private static Answer answer(Function<Asked, Answer> action, Asked asked) {
    try {
      return action.apply(asked);
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(422, String.valueOf(e.getMessage()));
    } catch (NoAnswer e) {
      return Answer.of(Effect.UNCONFIRMED, "perhaps written: " + e.getMessage());
    } catch (StartFailure | KafkaFailure e) {
      throw new HttpProblem(503, String.valueOf(e.getMessage()));
    }
  }

  /** Sends a browser on to the page that it came from, and a program the JSON. */
  private static void write(HttpExchange exchange, Asked asked, Answer answer) throws IOException {
    int status = answer.result().status();
    if (asked.page()) {
      new Receipt(answer.result().tone(), answer.notice()).give(exchange);
      ConsoleAccess.redirect(exchange, ConsoleAccess.back(asked.fields().get("back")));
    } else if (status >= 400) {
      throw new HttpProblem(status, answer.notice());
    } else {
      AdminServer.answer(exchange, status, "application/json", RecordJson.write(answer) + "\n");
    }
  }

  private Answer item(Asked asked) {
    ItemAction action = asked.choice(ItemAction.values());
    ItemKey key = asked.key();
    asked.requireRole(key.tenant(), action.least());
    List<Outcome> outcomes = send(asked, action, List.of(key), asked.find("session").orElse(null));
    if (outcomes.getFirst().unknown()) {
      throw noItem();
    }
    return Answer.of(action.label(), outcomes);
  }

  /** The server selects: what a page showed may have changed since. */
  private Answer items(Asked asked) {
    ItemAction action = asked.choice(ItemAction.values());
    List<ItemKey> matching = matching(asked);
    matching.forEach(item -> asked.requireRole(item.tenant(), action.least()));
    int count = matching.size();
    String digest = digest(matching);
    Map<String, Object> counted = Map.of("count", count, "digest", digest);
    boolean confirmed = asked.find("confirm").isPresent();
    if (confirmed && asked.number("confirm") != count) {
      throw new HttpProblem(
          409, count + " items match, not " + asked.get("confirm") + "; check them again", counted);
    }
    if (confirmed && count == 0) {
      return Answer.of(Effect.UNCHANGED, "no item matches");
    }
    if (!confirmed || asked.find("digest").isEmpty()) {
      throw new HttpProblem(
          422,
          count + " items match; repeat it with confirm=" + count + " and digest=" + digest,
          counted);
    }
    if (!asked.get("digest").equals(digest)) {
      throw new HttpProblem(
          409, "other items match than those that were confirmed; check them again", counted);
    }
    return Answer.of(action.label(), send(asked, action, matching, null));
  }

  private List<ItemKey> matching(Asked asked) {
    var filter = ItemFilter.of(asked.fields(), ItemAction.MOST);
    try (ConsoleView view = config.view(asked.viewer())) {
      long count = view.count(filter);
      if (count > ItemAction.MOST) {
        throw new HttpProblem(
            422,
            count + " items match, at most " + ItemAction.MOST + " are changed by one action",
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
    return view.items(filter.page(null, ItemAction.MOST)).stream()
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

  private List<Outcome> send(
      Asked asked, ItemAction action, List<ItemKey> items, @Nullable String session) {
    var commands = new LinkedHashMap<Command, String>();
    By by = asked.by();
    items.forEach(item -> commands.put(by.command(action.making(session)), item.toString()));
    return order(commands);
  }

  private List<Outcome> order(Map<Command, String> commands) {
    return new CommandSender(clients, PATIENCE).order(commands, PATIENCE);
  }

  private static ScopeChange cap(Asked asked) {
    return asked.get("limit").equals("none")
        ? ScopeChange.uncapped(asked.scope())
        : ScopeChange.cap(asked.scope(), asked.number("limit"));
  }

  private static ScopeChange budget(Asked asked) {
    String usd = asked.find("dailyUsd").orElse(null);
    String tokens = asked.find("dailyTokens").orElse(null);
    if (usd == null && tokens == null) {
      throw new HttpProblem(422, "dailyUsd or dailyTokens is missing; none removes a limit");
    }
    return ScopeChange.budget(asked.scope(), usd, tokens);
  }

  private Answer change(Asked asked, ScopeChange change) {
    String tenant = Scope.tenantOf(change.scope());
    if (!tenant.isEmpty()) {
      asked.requireRole(tenant, AccessRole.VIEWER);
    }
    if (!asked.viewer().mayScope(change.scope(), change.least())) {
      throw denied(tenant.isEmpty() ? AccessRole.ADMIN : change.least());
    }
    Outcome outcome = new OperatorEntries(clients, PATIENCE).change(change, asked.by()).outcome();
    return Answer.of(outcome.effect(), outcome.line(change.label()));
  }

  private Answer poll(Asked asked) {
    String source = asked.get("source");
    try (ConsoleView view = config.view(asked.viewer())) {
      if (view.sources().stream().noneMatch(each -> each.source().equals(source))) {
        throw new HttpProblem(404, "there is no such source");
      }
    }
    asked.requireRole(TenantScope.tenantOf(source), AccessRole.OPERATOR);
    return Answer.of("poll", order(Map.of(asked.by().command(Command.Poll::new), source)));
  }

  private Answer deadLetters(Asked asked) {
    var action = asked.choice(DeadLetters.Action.values());
    ItemKey key = asked.key();
    asked.requireRole(key.tenant(), AccessRole.OPERATOR);
    DeadLetters.Returned returned =
        new DeadLetters(action, clients.topics(), List.of(key.toString()))
            .bringBack(clients, asked.by(), this::order, _ -> {});
    if (!returned.results().isEmpty()) {
      return Answer.of(action.label(), returned.results());
    }
    String why = returned.stay().get(key.toString());
    if (why == null) {
      throw new HttpProblem(404, "no dead letter has this key");
    }
    return Answer.of(Effect.UNCHANGED, key + ": " + why);
  }

  private static HttpProblem noItem() {
    return new HttpProblem(404, "there is no such item");
  }

  private static HttpProblem denied(AccessRole least) {
    return new HttpProblem(403, "needs the role " + least.label());
  }

  /** A time as ISO 8601, or a whole number of minutes, hours or days from now; null if unnamed. */
  private @Nullable Instant until(Asked asked) {
    String text = asked.find("until").orElse(null);
    if (text == null) {
      return null;
    }
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
   * What a form or a program asks to be done. A field that is wrong, or missing, is answered with
   * 422.
   *
   * @param fields by name; an empty field of a form is one that was not filled in
   * @param page whether a page's form asks, whose browser is sent on to a page
   */
  private record Asked(Viewer viewer, Map<String, String> fields, boolean page) {
    /**
     * Reads a form or a JSON object of texts, numbers and booleans.
     *
     * @throws HttpProblem 400 if it is neither, 413 if it is too long
     */
    static Asked read(HttpExchange exchange, Viewer viewer) throws IOException {
      String type = exchange.getRequestHeaders().getFirst("Content-Type");
      String kind = type == null ? "" : type.split(";")[0].strip().toLowerCase(Locale.ROOT);
      String body = RequestBody.read(exchange);
      return switch (kind) {
        case "application/x-www-form-urlencoded" ->
            new Asked(viewer, RequestBody.fields(body.strip()), HttpProblem.acceptsHtml(exchange));
        case "application/json" -> new Asked(viewer, json(body), false);
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

    void requireRole(String tenant, AccessRole least) {
      if (!viewer.may(tenant, AccessRole.VIEWER)) {
        throw noItem();
      }
      if (!viewer.may(tenant, least)) {
        throw denied(least);
      }
    }

    /** A field; empty if it is missing or blank. */
    Optional<String> find(String name) {
      return Optional.ofNullable(fields.get(name)).map(String::strip).filter(it -> !it.isEmpty());
    }

    /** A field that must be there. */
    String get(String name) {
      return find(name).orElseThrow(() -> new HttpProblem(422, name + " is missing"));
    }

    /** A field that is a whole number. */
    int number(String name) {
      String text = get(name);
      if (!text.matches("[0-9]{1,9}")) {
        throw new HttpProblem(422, name + " is not a whole number");
      }
      return Integer.parseInt(text);
    }

    <E extends Labelled> E choice(E[] all) {
      String name = get("do");
      return Arrays.stream(all)
          .filter(each -> each.label().equals(name))
          .findFirst()
          .orElseThrow(() ->
              new HttpProblem(
                  422,
                  Arrays.stream(all)
                      .map(Labelled::label)
                      .collect(Collectors.joining(", ", "do: allowed are ", ""))));
    }

    ItemKey key() {
      try {
        return ItemKey.parse(get("key"));
      } catch (IllegalArgumentException e) {
        throw new HttpProblem(422, "key is not tenant/source/id");
      }
    }

    String scope() {
      return find("scope").orElse(Scope.GLOBAL);
    }

    /** The viewer, with the reason for the record, which may be empty. */
    By by() {
      String why = find("why").orElse("");
      if (why.length() > Command.MOST_WHY) {
        throw new HttpProblem(422, "why has more than " + Command.MOST_WHY + " characters");
      }
      return new By(viewer.name(), why);
    }
  }
}
