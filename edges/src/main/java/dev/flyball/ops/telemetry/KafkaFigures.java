package dev.flyball.ops.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;

/**
 * Shows the figures of {@link KafkaFigure}, a series for each client's name. Clients come and go:
 * those of one name are merged, and a series ends with its last client. Nothing is computed before
 * a scrape, and no thread runs, unlike in Micrometer's binders, which have one for each client. Any
 * thread.
 */
public final class KafkaFigures {
  /** Streams puts an id into the names of its clients: every start would make new series. */
  private static final Pattern ID =
      Pattern.compile("-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);

  private static final String CLIENT = "client-id";
  private static final String THREAD = "thread-id";

  private final Map<KafkaFigure, MultiGauge> gauges = new EnumMap<>(KafkaFigure.class);

  /** What clients report, by the objects that Kafka names on removal. */
  private final ConcurrentMap<Object, Source> sources = new ConcurrentHashMap<>();

  private record Source(KafkaFigure figure, String client, DoubleSupplier value) {}

  KafkaFigures(MeterRegistry registry) {
    for (KafkaFigure figure : KafkaFigure.values()) {
      gauges.put(
          figure,
          MultiGauge.builder(figure.prometheus()).description(figure.meaning()).register(registry));
    }
  }

  /**
   * Takes a figure of a client; shows it if it is one of {@link KafkaFigure}.
   *
   * @param source identifies the figure until {@link #removed}
   * @param tags Kafka's own; a figure of one topic or partition is not shown
   */
  public void added(
      Object source, String group, String name, Map<String, String> tags, DoubleSupplier value) {
    KafkaFigure figure = KafkaFigure.of(group, name).orElse(null);
    if (figure == null || tags.containsKey("topic") || tags.containsKey("partition")) {
      return;
    }
    String id = tags.getOrDefault(CLIENT, tags.getOrDefault(THREAD, ""));
    sources.put(source, new Source(figure, ID.matcher(id).replaceAll(""), value));
  }

  /** Drops a figure; one that is not known does nothing. */
  public void removed(Object source) {
    sources.remove(source);
  }

  /** Takes the values of now, before a scrape. */
  synchronized void measure() {
    Map<KafkaFigure, Map<String, Double>> values = new EnumMap<>(KafkaFigure.class);
    for (Source each : sources.values()) {
      double measured = measured(each);
      values
          .computeIfAbsent(each.figure, any -> new HashMap<>())
          // Kafka shows NaN where it has measured nothing lately, which is 0 here.
          .merge(each.client, Double.isFinite(measured) ? measured : 0, each.figure.merge()::of);
    }
    gauges.forEach((figure, gauge) ->
        gauge.register(
            values.getOrDefault(figure, Map.of()).entrySet().stream()
                .<MultiGauge.Row<?>>map(it -> Row.of(Tags.of("client", it.getKey()), it.getValue()))
                .toList(),
            true));
  }

  /** A figure that cannot be read hides no other. */
  private static double measured(Source source) {
    try {
      return source.value.getAsDouble();
    } catch (RuntimeException e) {
      return Double.NaN;
    }
  }

  /**
   * The figures of Kafka's clients and of Kafka Streams that are shown. A client has some 200 and a
   * Streams app some 800; almost all answer questions about Kafka's own code. Names are those of
   * Micrometer's Kafka binders, so that dashboards made for those work.
   */
  public enum KafkaFigure {
    RECORDS_LAG_MAX(
        "consumer-fetch-manager-metrics",
        "records-lag-max",
        Merge.MAX,
        "Records that a consumer is behind its partition's end, of the partition where it is most;"
            + " the lag of the ledger's readers too"),
    RECORDS_CONSUMED_RATE(
        "consumer-fetch-manager-metrics",
        "records-consumed-rate",
        Merge.SUM,
        "Records read per second"),
    FETCH_LATENCY_AVG(
        "consumer-fetch-manager-metrics",
        "fetch-latency-avg",
        Merge.MAX,
        "Milliseconds that a fetch takes, 500 of which are the wait for records"),
    CONSUMER_CONNECTIONS(
        "consumer-metrics", "connection-count", Merge.SUM, "Connections to brokers"),
    RECORD_SEND_RATE("producer-metrics", "record-send-rate", Merge.SUM, "Records sent per second"),
    RECORD_ERROR_RATE(
        "producer-metrics", "record-error-rate", Merge.SUM, "Records per second that failed"),
    RECORD_RETRY_RATE(
        "producer-metrics", "record-retry-rate", Merge.SUM, "Records per second sent again"),
    PRODUCER_LATENCY_AVG(
        "producer-metrics",
        "request-latency-avg",
        Merge.MAX,
        "Milliseconds until a broker answers a send"),
    PRODUCER_CONNECTIONS(
        "producer-metrics", "connection-count", Merge.SUM, "Connections to brokers"),
    STREAM_ALIVE_THREADS(
        "stream-metrics", "alive-stream-threads", Merge.SUM, "Threads of triage-stream that work"),
    STREAM_FAILED_THREADS(
        "stream-metrics",
        "failed-stream-threads",
        Merge.SUM,
        "Threads of triage-stream that failed since it started"),
    STREAM_PROCESS_RATE(
        "stream-thread-metrics", "process-rate", Merge.SUM, "Records processed per second"),
    STREAM_PROCESS_LATENCY(
        "stream-thread-metrics",
        "process-latency-avg",
        Merge.MAX,
        "Milliseconds for one round of processing"),
    STREAM_COMMIT_LATENCY(
        "stream-thread-metrics",
        "commit-latency-avg",
        Merge.MAX,
        "Milliseconds that a commit takes");

    private final String group;
    private final String name;
    private final Merge merge;
    private final String meaning;

    KafkaFigure(String group, String name, Merge merge, String meaning) {
      this.group = group;
      this.name = name;
      this.merge = merge;
      this.meaning = meaning;
    }

    /** How figures of several clients with one name become one value. */
    enum Merge {
      SUM,
      MAX;

      double of(double one, double other) {
        return this == SUM ? one + other : Math.max(one, other);
      }
    }

    /** The figure of this group and name, if it is one of those that are shown. */
    static Optional<KafkaFigure> of(String group, String name) {
      for (KafkaFigure each : values()) {
        if (each.name.equals(name) && each.group.equals(group)) {
          return Optional.of(each);
        }
      }
      return Optional.empty();
    }

    /** The name that Prometheus shows. */
    public String prometheus() {
      return "kafka_" + (group.replaceFirst("-metrics$", "") + "_" + name).replace('-', '_');
    }

    /** One line for a person. */
    public String meaning() {
      return meaning;
    }

    Merge merge() {
      return merge;
    }
  }
}
