package dev.flyball.ops.console.page;

import dev.flyball.ops.console.view.ItemStory;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A session of an item, by its events.
 *
 * @param outcome empty while it is live
 * @param end exit code, signal and survivors, as far as they are known
 */
public record PastSession(String session, Instant since, String outcome, String end) {
  private static final Set<String> ENDS =
      Set.of("completed", "failed", "timedOut", "cancelled", "interrupted", "lost");

  /** A session by one of its events. */
  static PastSession of(String session, ItemStory.Event event) {
    String name = event.name().replaceAll("^session\\.", "");
    return ENDS.contains(name)
        ? new PastSession(session, event.time(), name, end(event))
        : new PastSession(session, event.time(), "", "");
  }

  /** The same with a later event. */
  PastSession and(PastSession later) {
    return later.outcome.isEmpty()
        ? this
        : new PastSession(session, since, later.outcome, later.end);
  }

  private static String end(ItemStory.Event event) {
    var data = event.data();
    String code = data.hasNonNull("exitCode") ? "exit code " + data.get("exitCode").asText() : "";
    String signal = data.hasNonNull("signal") ? "signal " + data.get("signal").asText() : "";
    var survivors = data.path("receipt").path("survivors");
    String left = survivors.isNumber() ? "survivors " + survivors.asText() : "";
    return String.join(", ", Stream.of(code, signal, left).filter(it -> !it.isEmpty()).toList());
  }
}
