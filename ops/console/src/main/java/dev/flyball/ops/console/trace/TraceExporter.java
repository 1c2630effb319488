package dev.flyball.ops.console.trace;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.event.EventReaders;
import dev.flyball.ops.telemetry.Health;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector, as OTLP over HTTP in JSON (https://opentelemetry.io/docs/specs/otlp).
 * Its reader keeps its position behind what the collector accepted: while none answers, spans wait
 * in Kafka. One that was accepted and is sent again has the same ids.
 */
public final class TraceExporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TraceExporter.class);
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final EventReaders readers;
  private final HttpClient client;
  private final URI endpoint;
  private final Span.Maker maker = new Span.Maker();
  private volatile @Nullable String trouble;

  /**
   * Starts to read and to send.
   *
   * @param endpoint the collector's address, without {@code /v1/traces}
   * @param client is shut down with this exporter
   */
  public TraceExporter(URI endpoint, KafkaSettings kafka, HttpClient client) {
    this.client = client;
    this.endpoint = URI.create(endpoint.toString().replaceAll("/+$", "") + "/v1/traces");
    this.readers = new EventReaders(kafka);
    readers.start("trace", Map.of(), this::export);
  }

  /** Degraded while the collector does not take spans. */
  public Health health() {
    String why = trouble;
    return why == null ? Health.healthy() : Health.degraded("traces", why);
  }

  @Override
  public void close() {
    readers.close();
    client.shutdownNow();
  }

  private void export(List<LifecycleEvent> events, Runnable keep) throws InterruptedException {
    send(events.stream().flatMap(it -> maker.of(it).stream()).toList());
    keep.run();
  }

  /** Sends until the collector accepts or rejects; gives up to stop, or to stay in its group. */
  private void send(List<Span> spans) throws InterruptedException {
    if (spans.isEmpty()) {
      return;
    }
    HttpRequest request =
        HttpRequest.newBuilder(endpoint)
            .timeout(LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(RecordJson.bytes(body(spans))))
            .build();
    long end = System.nanoTime() + Duration.ofMinutes(4).toNanos();
    while (true) {
      try {
        int status = client.send(request, BodyHandlers.discarding()).statusCode();
        if (status / 100 == 2) {
          trouble = null;
          return;
        }
        trouble = "the collector answered " + status + " to " + endpoint;
        if (status != 429 && status / 100 != 5) {
          LOG.warn("traces: {}; {} spans are dropped", trouble, spans.size());
          return;
        }
      } catch (IOException e) {
        trouble = "no collector answers at " + endpoint + "; check traces.endpoint";
      }
      if (System.nanoTime() > end) {
        throw new KafkaException(trouble);
      }
      readers.pause(RETRY);
    }
  }

  /** An ExportTraceServiceRequest; 64-bit numbers are text in OTLP's JSON. */
  static Map<String, Object> body(List<Span> spans) {
    return Map.of(
        "resourceSpans",
        List.of(
            Map.of(
                "resource",
                Map.of("attributes", attributes(Map.of("service.name", "flyball"))),
                "scopeSpans",
                List.of(
                    Map.of(
                        "scope",
                        Map.of("name", "dev.flyball"),
                        "spans",
                        spans.stream().map(TraceExporter::json).toList())))));
  }

  private static Json json(Span span) {
    return new Json(
        span.trace(),
        span.id(),
        span.parent() == null ? "" : span.parent(),
        span.name(),
        1,
        nanos(span.start()),
        nanos(span.end()),
        attributes(span.attributes()),
        span.error() == null ? Map.of("code", 1) : Map.of("code", 2, "message", span.error()));
  }

  private record Json(
      String traceId,
      String spanId,
      String parentSpanId,
      String name,
      int kind,
      String startTimeUnixNano,
      String endTimeUnixNano,
      List<Map<String, Object>> attributes,
      Map<String, Object> status) {}

  private static List<Map<String, Object>> attributes(Map<String, String> values) {
    return values.entrySet().stream()
        .map(each ->
            Map.<String, Object>of(
                "key", each.getKey(), "value", Map.of("stringValue", each.getValue())))
        .toList();
  }

  private static String nanos(Instant at) {
    return at.getEpochSecond() + String.format(Locale.ROOT, "%09d", at.getNano());
  }
}
