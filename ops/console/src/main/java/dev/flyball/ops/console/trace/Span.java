package dev.flyball.ops.console.trace;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.event.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
   * Makes spans of lifecycle events: of a poll, and of an item's change, its triage, the wait for a
   * session and the session. Remembers when polls and changes began, up to a bound: what began
   * before this process is a span without a length. One thread.
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

    /** The spans that end with this event. */
    List<Span> of(LifecycleEvent event) {
      return switch (event.type()) {
        case POLL_STARTED -> began(poll(event), event);
        case POLL_FINISHED -> List.of(polled(event, null));
        case POLL_FAILED -> List.of(polled(event, text(event, Field.REASON)));
        case ITEM_CHANGED -> changed(event);
        case ITEM_TRIAGED -> triaged(event);
        default -> event.type().terminal() ? session(event) : List.of();
      };
    }

    private List<Span> began(String what, LifecycleEvent event) {
      began.put(what, event.time());
      return List.of();
    }

    private Instant begin(String what, LifecycleEvent event) {
      Instant known = began.remove(what);
      return known == null || known.isAfter(event.time()) ? event.time() : known;
    }

    private static String poll(LifecycleEvent event) {
      return "poll " + text(event, Field.POLL);
    }

    private Span polled(LifecycleEvent event, @Nullable String error) {
      Trace trace = Trace.of(event.subject(), poll(event));
      return new Span(
          trace.id(),
          trace.span("poll"),
          null,
          "poll " + event.subject(),
          begin(poll(event), event),
          event.time(),
          attributes(event, Field.POLLED, Field.CHANGED, Field.CATEGORY),
          error);
    }

    private static Optional<Trace> trace(LifecycleEvent event) {
      return event.data().text(Field.REVISION).map(it -> Trace.of(event.subject(), it));
    }

    private List<Span> changed(LifecycleEvent event) {
      return trace(event)
          .map(trace -> {
            began.put(trace.id(), event.time());
            return List.of(
                new Span(
                    trace.id(),
                    trace.span(Trace.CHANGE),
                    null,
                    "change of " + event.subject(),
                    event.time(),
                    event.time(),
                    attributes(event, Field.REVISION, Field.TITLE),
                    null));
          })
          .orElse(List.of());
    }

    private List<Span> triaged(LifecycleEvent event) {
      return trace(event)
          .map(trace ->
              List.of(
                  child(
                      trace,
                      "triage",
                      text(event, Field.BATCH),
                      begin(trace.id(), event),
                      event.time(),
                      attributes(
                          event, Field.REASON, Field.MODEL, Field.COMPLEXITY, Field.COST_MICROS),
                      null)))
          .orElse(List.of());
    }

    /** The wait and the session itself, by the times that its runner measured. */
    private static List<Span> session(LifecycleEvent event) {
      EventData data = event.data();
      String session = text(event, Field.SESSION);
      return trace(event)
          .map(trace -> {
            Instant dead = event.time().minus(millis(data, Field.REPORTING_MS));
            Instant start = dead.minus(millis(data, Field.RUNNING_MS));
            var spans = new ArrayList<Span>(2);
            spans.add(
                child(
                    trace,
                    "wait",
                    session,
                    start.minus(millis(data, Field.WAITING_MS)),
                    start,
                    attributes(event, Field.REQUEST, Field.ATTEMPT),
                    null));
            if (data.has(Field.PID)) {
              spans.add(
                  new Span(
                      trace.id(),
                      trace.span(session),
                      trace.span(Trace.CHANGE),
                      "session of " + data.text(Field.AGENT).orElse("an agent"),
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
                      event.type() == EventType.SESSION_COMPLETED
                          ? null
                          : text(event, Field.REASON)));
            }
            return List.copyOf(spans);
          })
          .orElse(List.of());
    }

    /** A span below the change; of several of one name each has a part of another name. */
    private static Span child(
        Trace trace,
        String name,
        String part,
        Instant start,
        Instant end,
        Map<String, String> attributes,
        @Nullable String error) {
      return new Span(
          trace.id(),
          trace.span(name + " " + part),
          trace.span(Trace.CHANGE),
          name,
          start,
          end,
          attributes,
          error);
    }

    private static Duration millis(EventData data, Field field) {
      return Duration.ofMillis(Math.max(0, data.number(field).orElse(0)));
    }

    private static String text(LifecycleEvent event, Field field) {
      return event.data().text(field).orElse("");
    }

    private static Map<String, String> attributes(LifecycleEvent event, Field... fields) {
      var all = new LinkedHashMap<String, String>();
      all.put("flyball.subject", event.subject());
      for (Field field : fields) {
        event
            .data()
            .text(field)
            .or(() -> {
              var number = event.data().number(field);
              return number.isPresent()
                  ? Optional.of(Long.toString(number.getAsLong()))
                  : Optional.empty();
            })
            .ifPresent(value -> all.put("flyball." + field.json(), value));
      }
      return all;
    }
  }
}
