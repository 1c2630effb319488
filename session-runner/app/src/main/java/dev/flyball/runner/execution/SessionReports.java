package dev.flyball.runner.execution;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.events.SessionEvents;
import dev.flyball.runner.session.SessionEnd;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** What a session publishes: events, output and results, all without secrets. */
public record SessionReports(EventSink sink, Redactor redactor, InstantSource clock) {

  /** A session's events, each with the fields that all of them carry. */
  SessionEvents events(SessionHandle handle) {
    return handle.events(clock);
  }

  /** A session's output, in chunks. */
  OutputChunks chunks(SessionHandle handle) {
    return new OutputChunks(handle.session(), handle.token().toString(), redactor, sink, clock);
  }

  void say(SessionHandle handle, EventType type, EventData data) {
    sink.report(events(handle).event(type, data));
  }

  String redacted(String text) {
    return redactor.redact(text);
  }

  @Nullable String redactedOrNull(@Nullable String text) {
    return text == null ? null : redacted(text);
  }

  /** A reason may quote the agent's output, so it is redacted. */
  SessionEnd redacted(SessionEnd end) {
    String reason = end.reason();
    return reason == null ? end : new SessionEnd(end.outcome(), end.failure(), redacted(reason));
  }

  Passage redacted(Passage passage) {
    return new Passage(
        redacted(passage.path()),
        passage.fromLine(),
        passage.toLine(),
        redacted(passage.excerpt()));
  }

  /**
   * The milliseconds from the request's publication to {@code agoNanos} before now, never negative,
   * because the two clocks differ.
   */
  long waitedMs(SessionHandle handle, long agoNanos) {
    return Math.max(0, clock.millis() - agoNanos / 1_000_000 - handle.publishedMs());
  }
}
