package dev.flyball.ops.console.trace;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.event.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One span of a trace.
 *
 * @param parent the id of the span that it belongs to; null for the first of a trace
 * @param attributes by their names; empty values are left out
 * @param error one line on what went wrong; null if nothing did
 */
record Span(
    String trace,
    String id,
    @Nullable String parent,
    String name,
    Instant start,
    Instant end,
    Map<String, String> attributes,
    @Nullable String error) {

  /**
   * Makes spans of lifecycle events: of a poll; and of an item's change and, below it, its triage,
   * its wait for a session, the session, and the write-back of its analysis. Remembers when polls
   * and changes began, up to a bound: what began before this process is a span without a length.
   * One thread.
   */
  static final class Maker {
    private static final int MOST = 10_000;

    private final Map<String, Instant> began =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Instant> eldest) {
            return size() > MOST;
          }
        };

    List<Span> of(LifecycleEvent event) {
      String poll = "poll " + text(event, Field.POLL);
      return switch (event.type()) {
        case POLL_STARTED -> {
          began.put(poll, event.time());
          yield List.of();
        }
        case POLL_FINISHED, POLL_FAILED -> List.of(polled(event, poll));
        default ->
            event
                .data()
                .text(Field.REVISION)
                .map(it -> ofChange(event, Trace.of(event.subject(), it)))
                .orElse(List.of());
      };
    }

    private Span polled(LifecycleEvent event, String poll) {
      Trace trace = Trace.of(event.subject(), poll);
      return new Span(
          trace.id(),
          trace.span("poll"),
          null,
          "poll " + event.subject(),
          begin(poll, event),
          event.time(),
          attributes(event, Field.POLLED, Field.CHANGED, Field.CATEGORY),
          event.type() == EventType.POLL_FAILED ? text(event, Field.REASON) : null);
    }

    private List<Span> ofChange(LifecycleEvent event, Trace trace) {
      Instant end = event.time();
      return switch (event.type()) {
        case ITEM_CHANGED -> {
          began.put(trace.id(), end);
          yield List.of(
              new Span(
                  trace.id(),
                  trace.span(Trace.CHANGE),
                  null,
                  "change of " + event.subject(),
                  end,
                  end,
                  attributes(event, Field.REVISION, Field.TITLE),
                  null));
        }
        case ITEM_TRIAGED ->
            List.of(
                below(
                    trace,
                    "triage " + text(event, Field.BATCH),
                    "triage",
                    begin(trace.id(), event),
                    end,
                    attributes(
                        event, Field.REASON, Field.MODEL, Field.COMPLEXITY, Field.COST_MICROS),
                    null));
        case WRITE_BACK_FINISHED, WRITE_BACK_FAILED ->
            List.of(
                below(
                    trace,
                    "write-back " + event.id(),
                    "write-back",
                    end.minus(millis(event, Field.WAITING_MS)),
                    end,
                    attributes(event, Field.SESSION, Field.AFTER),
                    event.data().text(Field.REASON).orElse(null)));
        default -> event.type().terminal() ? session(event, trace) : List.of();
      };
    }

    /** The wait and the session itself, by the times that its runner measured. */
    private static List<Span> session(LifecycleEvent event, Trace trace) {
      String session = text(event, Field.SESSION);
      Instant dead = event.time().minus(millis(event, Field.REPORTING_MS));
      Instant start = dead.minus(millis(event, Field.RUNNING_MS));
      Span wait =
          below(
              trace,
              "wait " + session,
              "wait",
              start.minus(millis(event, Field.WAITING_MS)),
              start,
              attributes(event, Field.REQUEST, Field.ATTEMPT),
              null);
      if (!event.data().has(Field.PID)) {
        return List.of(wait);
      }
      return List.of(
          wait,
          below(
              trace,
              session,
              "session of " + event.data().text(Field.AGENT).orElse("an agent"),
              start,
              dead,
              attributes(
                  event,
                  Field.SESSION,
                  Field.RUNNER,
                  Field.AGENT,
                  Field.MODEL,
                  Field.OUTCOME,
                  Field.TOKENS,
                  Field.COST_MICROS,
                  Field.PROCESSES_PEAK,
                  Field.SURVIVORS),
              event.type() == EventType.SESSION_COMPLETED ? null : text(event, Field.REASON)));
    }

    /** A span below the change; its id follows from what is unique in the trace. */
    private static Span below(
        Trace trace,
        String unique,
        String name,
        Instant start,
        Instant end,
        Map<String, String> attributes,
        @Nullable String error) {
      String parent = trace.span(Trace.CHANGE);
      return new Span(trace.id(), trace.span(unique), parent, name, start, end, attributes, error);
    }

    private Instant begin(String what, LifecycleEvent event) {
      Instant known = began.remove(what);
      return known == null || known.isAfter(event.time()) ? event.time() : known;
    }

    private static Duration millis(LifecycleEvent event, Field field) {
      return Duration.ofMillis(Math.max(0, event.data().number(field).orElse(0)));
    }

    private static String text(LifecycleEvent event, Field field) {
      return event.data().text(field).orElse("");
    }

    private static Map<String, String> attributes(LifecycleEvent event, Field... fields) {
      var all = new LinkedHashMap<>(Map.of("flyball.subject", event.subject()));
      for (Field field : fields) {
        event.data().text(field).ifPresent(it -> all.put("flyball." + field.json(), it));
      }
      return all;
    }
  }
}
