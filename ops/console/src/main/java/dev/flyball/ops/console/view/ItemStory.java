package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One item with its timeline: the answer of {@code item}.
 *
 * @param state the item's state as triage-stream keeps it, null if only events are known
 * @param events causes before effects, otherwise oldest first, as many as are kept
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ItemStory(@Nullable ItemRow item, @Nullable JsonNode state, List<Event> events) {
  public ItemStory {
    events = caused(events);
  }

  /**
   * By cause. Several programs with different clocks write a session's events, and topics arrive in
   * any order: an event of a session comes no earlier than what leads to it.
   */
  private static List<Event> caused(List<Event> arrived) {
    var placed = new ArrayList<Placed>();
    var latest = new HashMap<String, Instant>();
    var steps = Comparator.comparing(Event::step).thenComparing(Event::time);
    for (Event event : arrived.stream().sorted(steps).toList()) {
      Instant at = event.time();
      if (event.session() != null) {
        at = latest.merge(event.session(), at, (one, other) -> one.isAfter(other) ? one : other);
      }
      placed.add(new Placed(at, event));
    }
    return placed.stream()
        .sorted(Comparator.comparing(Placed::at).thenComparing(each -> each.event().step()))
        .map(Placed::event)
        .toList();
  }

  private record Placed(Instant at, Event event) {}

  /** What leads to what, in this order, in one attempt. */
  private enum Step {
    SEEN,
    TRIAGED,
    REQUESTED,
    CLAIMED,
    SPAWNED,
    IDENTIFIED,
    RUNS,
    RESULT,
    KILLED,
    ENDED,
    RETURNED,
    SETTLED
  }

  /**
   * One event of the timeline.
   *
   * @param type the {@code ce_type}, for example {@code flyball.session.claimed.v1}
   * @param data its payload
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Event(
      Instant time, String type, String source, @Nullable String session, JsonNode data) {
    private static final List<String> GIST =
        List.of("reason", "outcome", "agentSession", "runner", "routedBy", "revision");

    /** The type without the parts that all types share, for example {@code session.claimed}. */
    public String name() {
      return type.replaceAll("^flyball\\.|\\.v[0-9]+$", "");
    }

    /** Whether a session ended with it. */
    public boolean ended() {
      return step() == Step.ENDED;
    }

    private Step step() {
      return switch (name()) {
        case "item.changed", "item.duplicate", "item.reopened" -> Step.SEEN;
        case "item.triaged" -> Step.TRIAGED;
        case "session.requested" -> Step.REQUESTED;
        case "session.claimed" -> Step.CLAIMED;
        case "session.spawned" -> Step.SPAWNED;
        case "session.identified" -> Step.IDENTIFIED;
        case "session.result" -> Step.RESULT;
        case "session.killed" -> Step.KILLED;
        case "session.completed",
            "session.failed",
            "session.timedOut",
            "session.cancelled",
            "session.interrupted",
            "session.lost" ->
            Step.ENDED;
        case "session.leaseEnded" -> Step.RETURNED;
        default -> name().startsWith("session.") ? Step.RUNS : Step.SETTLED;
      };
    }

    /** The most informative field; empty if it has none of the known ones. */
    public String gist() {
      if (data.hasNonNull("commandId")) {
        return data.path("command").asText()
            + " by "
            + data.path("who").asText()
            + ": "
            + data.path("reason").asText();
      }
      return GIST.stream()
          .filter(data::hasNonNull)
          .findFirst()
          .map(field -> field + " " + data.get(field).asText())
          .orElse("");
    }
  }
}
