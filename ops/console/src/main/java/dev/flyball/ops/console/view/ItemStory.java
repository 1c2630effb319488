package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventType;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
    var steps = Comparator.comparingInt(Event::step).thenComparing(Event::time);
    for (Event event : arrived.stream().sorted(steps).toList()) {
      Instant at = event.time();
      if (event.session() != null) {
        at = latest.merge(event.session(), at, (one, other) -> one.isAfter(other) ? one : other);
      }
      placed.add(new Placed(at, event));
    }
    return placed.stream()
        .sorted(Comparator.comparing(Placed::at).thenComparingInt(each -> each.event().step()))
        .map(Placed::event)
        .toList();
  }

  private record Placed(Instant at, Event event) {}

  /** A step of the agent, and one that ends its session, of which there are several types. */
  private static final String RUNS = "";

  private static final String ENDED = "ended";

  /** What leads to what, in this order, in one attempt; what is not named comes last. */
  private static final List<String> STEPS =
      List.of(
          "item.changed",
          "item.duplicate",
          "item.reopened",
          "item.triaged",
          "session.requested",
          "session.claimed",
          "session.spawned",
          "session.identified",
          RUNS,
          "session.result",
          "session.killed",
          ENDED,
          "session.leaseEnded");

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

    public Event {
      time = time.truncatedTo(ChronoUnit.MILLIS);
    }

    /** The type without the parts that all types share, for example {@code session.claimed}. */
    public String name() {
      return type.replaceAll("^flyball\\.|\\.v[0-9]+$", "");
    }

    /** Whether a session ended with it. */
    public boolean ended() {
      return EventType.ofType(type).filter(EventType::terminal).isPresent();
    }

    private int step() {
      int named = STEPS.indexOf(ended() ? ENDED : name());
      if (named >= 0) {
        return named;
      }
      return name().startsWith("session.") ? STEPS.indexOf(RUNS) : STEPS.size();
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
