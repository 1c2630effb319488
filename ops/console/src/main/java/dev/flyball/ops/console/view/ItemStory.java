package dev.flyball.ops.console.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventType;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One item with its timeline: the answer of {@code item}.
 *
 * @param state the item's state as triage-stream keeps it, null if only events are known
 * @param events causes before effects, otherwise oldest first, as many as are kept
 */
public record ItemStory(@Nullable ItemRow item, @Nullable JsonNode state, List<Event> events) {
  public ItemStory {
    events = List.copyOf(events);
  }

  /**
   * One event of the timeline.
   *
   * @param type the {@code ce_type}, for example {@code flyball.session.claimed.v1}
   * @param data its payload
   */
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
      return EventType.ofType(type).filter(EventType::terminal).isPresent();
    }

    /** The most informative field; empty if it has none of the known ones. */
    public String gist() {
      if (data.hasNonNull("commandId")) {
        String who = data.path("who").asText();
        return data.path("command").asText() + " by " + who + ": " + data.path("reason").asText();
      }
      return GIST.stream()
          .filter(data::hasNonNull)
          .findFirst()
          .map(field -> field + " " + data.get(field).asText())
          .orElse("");
    }
  }
}
