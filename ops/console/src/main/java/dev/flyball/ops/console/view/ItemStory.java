package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One item with its timeline: the answer of {@code item}.
 *
 * @param state the item's state as triage-stream keeps it, null if only events are known
 * @param events oldest first, as many as are kept
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
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
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Event(
      Instant time, String type, String source, @Nullable String session, JsonNode data) {}
}
