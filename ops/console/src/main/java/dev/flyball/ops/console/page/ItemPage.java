package dev.flyball.ops.console.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.Trace;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession;
import dev.flyball.ops.console.why.ItemStatus;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One item: why it is where it is, its analysis, its sessions, its timeline.
 *
 * @param repository the URL of the repository that its agents read; null if it is a folder
 * @param traces where people look at a trace, with {@code {trace}} for its id; null for nowhere
 * @param status why it is not running, null if only its events are known
 * @param live its session, null if none is live
 * @param sessions those that have ended, newest first
 */
public record ItemPage(
    String key,
    ItemStory story,
    @Nullable String repository,
    @Nullable String traces,
    @Nullable ItemStatus status,
    @Nullable Analysis analysis,
    @Nullable RunningSession live,
    List<EndedSession> sessions,
    Instant now) {
  /** The fields that a reader asks for, in this order, with what is written before each value. */
  private static final Map<String, String> FIELDS = new LinkedHashMap<>();

  static {
    FIELDS.put("reason", "");
    FIELDS.put("complexity", "complexity ");
    FIELDS.put("model", "by ");
    FIELDS.put("profile", "profile ");
    FIELDS.put("exitCode", "exit code ");
    FIELDS.put("signal", "signal ");
    FIELDS.put("endedBy", "lease ");
    FIELDS.put("due", "due ");
    FIELDS.put("after", "");
  }

  /** The item's tenant. */
  public String tenant() {
    return TenantScope.tenantOf(key);
  }

  /** Its title, or its key while the title is unknown. */
  public String title() {
    ItemRow item = story.item();
    return Display.line(item == null ? key : item.title(), Display.TITLE);
  }

  /** The name of its state; empty if it is unknown. */
  public String state() {
    ItemRow item = story.item();
    return item == null ? "" : item.state();
  }

  /** Its place in the tracker; null if that is no web address. */
  public @Nullable String url() {
    ItemRow item = story.item();
    return item == null ? null : PageLinks.tracker(item.url());
  }

  /** Where the trace of its newest change is shown; null if that is not known. */
  public @Nullable String trace() {
    Snapshot item = snapshot();
    return traces == null || item == null
        ? null
        : traces.replace("{trace}", Trace.of(key, item.revision()).id());
  }

  /** The item as its tracker has it; null if only its events are known. */
  public @Nullable Snapshot snapshot() {
    JsonNode state = story.state();
    return state == null ? null : RecordJson.fromTree(state.path("snapshot"), Snapshot.class);
  }

  /** Where a forge shows a file that the analysis names; null if that is not known. */
  public @Nullable String forge(Analysis.Passage file) {
    return analysis == null ? null : ForgeLink.of(repository, analysis.commit(), file);
  }

  /** Why it is in its state, one line for each reason. */
  public List<String> reasons() {
    ItemRow item = story.item();
    if (status != null && item != null && item.waitingSince() != null && live == null) {
      return status.reasons().stream().map(it -> NowPage.line(it, now)).toList();
    }
    return item == null || item.reason() == null
        ? List.of()
        : List.of(Display.line(item.reason(), Display.REASON));
  }

  /** How its newest session ended, if that was an error and the item has not changed since. */
  public ItemStory.@Nullable Event error() {
    for (ItemStory.Event event : story.events().reversed()) {
      if (event.name().equals("item.changed")) {
        return null;
      }
      if (event.ended()) {
        boolean error = !List.of("session.completed", "session.cancelled").contains(event.name());
        return error ? event : null;
      }
    }
    return null;
  }

  /** The steps, newest first, without the many that only count on. */
  public List<ItemStory.Event> steps() {
    return story.events().reversed().stream()
        .filter(it -> !it.name().equals("session.progressed"))
        .toList();
  }

  /** The analysis as harmless HTML; empty without one. */
  public String prose() {
    return analysis == null ? "" : AnalysisText.html(analysis);
  }

  /** Whether an operator may still cancel or skip it. */
  public boolean open() {
    return List.of("new", "triaging", "queued", "running", "failed").contains(state());
  }

  /** Whether a retry may begin it again. */
  public boolean settled() {
    return List.of("skipped", "analyzed", "failed", "dead", "cancelled").contains(state());
  }

  /** What happened in a step. */
  public static String headline(ItemStory.Event event) {
    JsonNode data = event.data();
    return switch (event.name()) {
      case "item.changed" -> "Changed";
      case "item.duplicate" -> "Unchanged: nothing spent";
      case "item.triaged" -> "Triaged";
      case "item.skipped" -> "Skipped";
      case "item.superseded" -> "Replaced by a newer change";
      case "item.deferred" -> "A new attempt comes later";
      case "item.closed" -> "Closed in the tracker";
      case "item.cancelled" -> "Cancelled";
      case "item.reopened" -> "Tried again by an operator";
      case "item.deadLettered" -> "Given up";
      case "session.requested" ->
          "Session requested"
              + (data.hasNonNull("attempt") ? ", attempt " + text(data, "attempt") : "");
      case "session.claimed" -> "Permit granted to " + text(data, "runner");
      case "session.spawned" ->
          "Agent started, pid " + text(data, "pid") + ", level " + text(data, "level");
      case "session.identified" -> "Agent reported its session";
      case "session.result" -> "Agent answered";
      case "session.leaseEnded" -> "Permit returned";
      case "session.killed" -> "Session ended by its runner";
      default -> Display.sentence(Display.words(event.name().replace('.', ' ')));
    };
  }

  /** Why a step happened, and the figures that belong to it, as far as its event has them. */
  public static String detail(ItemStory.Event event) {
    if (event.data().hasNonNull("commandId")) {
      return Display.line(event.gist(), Display.REASON);
    }
    var parts = new StringJoiner(", ");
    FIELDS.forEach((field, name) -> {
      String value = text(event.data(), field);
      if (!value.isEmpty() && !headline(event).contains(value)) {
        parts.add(name + value);
      }
    });
    JsonNode survivors = event.data().path("receipt").path("survivors");
    if (survivors.isNumber()) {
      parts.add("survivors " + survivors.asText());
    }
    return Display.line(parts.toString(), Display.REASON);
  }

  /** The colour of a step's dot. */
  public static String tone(ItemStory.Event event) {
    return switch (event.name()) {
      case "session.claimed", "session.spawned" -> "run";
      case "item.triaged" -> "ok";
      case "session.hung", "item.deferred" -> "warn";
      case "session.failed", "item.deadLettered" -> "bad";
      // The outcome of a session.
      default -> Display.tone(event.name().replaceAll("^session\\.", ""));
    };
  }

  private static String text(JsonNode data, String field) {
    return Display.line(data.path(field).asText(), Display.TITLE);
  }

  /** Where forges show lines of a file at a commit: GitHub, GitLab, Bitbucket, Azure DevOps. */
  static final class ForgeLink {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-fA-F]{7,64}");

    private ForgeLink() {}

    /**
     * The https address of a passage.
     *
     * @param repository the URL from which the repository is fetched
     * @param commit that the agent read; it may be what the agent says
     * @return null if the forge is not known, or the passage is no file of the repository
     */
    static @Nullable String of(
        @Nullable String repository, @Nullable String commit, Analysis.Passage passage) {
      List<String> path = Arrays.asList(passage.path().split("/", -1));
      boolean within = path.stream().noneMatch(part -> part.matches("|\\.|\\.\\."));
      if (repository == null || commit == null || !within || !COMMIT.matcher(commit).matches()) {
        return null;
      }
      URI uri = URI.create(repository);
      String host = String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT);
      if (!List.of("https", "ssh").contains(String.valueOf(uri.getScheme()))) {
        return null;
      }
      // A port of https is that of the pages too, a port of ssh is not.
      String port = uri.getScheme().equals("https") && uri.getPort() > 0 ? ":" + uri.getPort() : "";
      String place = "https://" + host + port + uri.getRawPath().replaceAll("(\\.git)?/*$", "");
      String file = path.stream().map(ForgeLink::encoded).collect(Collectors.joining("/"));
      int from = Math.max(1, passage.fromLine());
      int to = Math.max(from, passage.toLine());
      if (host.startsWith("github.")) {
        return place + "/blob/" + commit + "/" + file + "#L" + from + "-L" + to;
      }
      if (host.startsWith("gitlab.")) {
        return place + "/-/blob/" + commit + "/" + file + "#L" + from + "-" + to;
      }
      if (host.equals("bitbucket.org")) {
        return place + "/src/" + commit + "/" + file + "#lines-" + from + ":" + to;
      }
      String azure = place.replaceFirst("//ssh\\.(dev\\.azure\\.com)/v3(/.*)/", "//$1$2/_git/");
      String lines =
          "&line=" + from + "&lineEnd=" + (to + 1) + "&lineStartColumn=1&lineEndColumn=1";
      return azure.matches("https://(dev\\.azure\\.com|[^/]*\\.visualstudio\\.com)/.*/_git/.*")
          ? azure + "?path=/" + file + "&version=GC" + commit + lines
          : null;
    }

    private static String encoded(String part) {
      return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }
  }
}
