package dev.flyball.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.jspecify.annotations.Nullable;

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

  private final Map<KafkaFigure, MultiGauge> gauges = new EnumMap<>(KafkaFigure.class);

  /** What clients report, by the objects that Kafka names on removal. */
  private final ConcurrentMap<KafkaMetric, Source> sources = new ConcurrentHashMap<>();

  private record Source(KafkaFigure figure, String client) {}

  /** Registers a gauge for each figure. */
  public KafkaFigures(MeterRegistry registry) {
    for (KafkaFigure figure : KafkaFigure.values()) {
      gauges.put(
          figure,
          MultiGauge.builder(figure.prometheus()).description(figure.meaning()).register(registry));
    }
  }

  /** Takes the values of now, before each scrape. One thread at a time. */
  public void measure() {
    Map<KafkaFigure, Map<String, Double>> values = new EnumMap<>(KafkaFigure.class);
    sources.forEach((metric, source) ->
        values
            .computeIfAbsent(source.figure, any -> new HashMap<>())
            .merge(source.client, measured(metric), source.figure.merge()::of));
    gauges.forEach((figure, gauge) ->
        gauge.register(
            values.getOrDefault(figure, Map.of()).entrySet().stream()
                .<MultiGauge.Row<?>>map(it -> Row.of(Tags.of("client", it.getKey()), it.getValue()))
                .toList(),
            true));
  }

  /** NaN: nothing was measured lately, which is 0. An unreadable figure hides no other. */
  private static double measured(KafkaMetric metric) {
    try {
      return metric.metricValue() instanceof Number number && Double.isFinite(number.doubleValue())
          ? number.doubleValue()
          : 0;
    } catch (RuntimeException e) {
      return 0;
    }
  }

  /**
   * Reports the figures of one client to those that its properties name. Kafka makes one for each
   * client, those of Kafka Streams included; that is why they are a property.
   */
  public static final class Reporter implements MetricsReporter {
    /** The property that holds the {@link KafkaFigures}. */
    static final String FIGURES = "flyball.figures";

    private final Set<KafkaMetric> own = ConcurrentHashMap.newKeySet();
    private volatile @Nullable KafkaFigures shown;

    /** For Kafka, which configures it next. */
    public Reporter() {
      // Kafka needs a public constructor without parameters.
    }

    @Override
    public void configure(Map<String, ?> configs) {
      shown = configs.get(FIGURES) instanceof KafkaFigures figures ? figures : null;
    }

    @Override
    public void init(List<KafkaMetric> metrics) {
      metrics.forEach(this::metricChange);
    }

    /** A figure of one topic or partition is not shown. */
    @Override
    public void metricChange(KafkaMetric metric) {
      KafkaFigures to = shown;
      var name = metric.metricName();
      Map<String, String> tags = name.tags();
      KafkaFigure figure = KafkaFigure.of(name.group(), name.name()).orElse(null);
      if (to == null
          || figure == null
          || tags.containsKey("topic")
          || tags.containsKey("partition")) {
        return;
      }
      String id = tags.getOrDefault("client-id", tags.getOrDefault("thread-id", ""));
      own.add(metric);
      to.sources.put(metric, new Source(figure, ID.matcher(id).replaceAll("")));
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
      KafkaFigures to = shown;
      if (to != null && own.remove(metric)) {
        to.sources.remove(metric);
      }
    }

    /** Kafka removes no figure when a client is closed. */
    @Override
    public void close() {
      own.forEach(this::metricRemoval);
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
    RECORD_SEND_RATE("producer-metrics", "record-send-rate", Merge.SUM, "Records sent per second"),
    RECORD_ERROR_RATE(
        "producer-metrics", "record-error-rate", Merge.SUM, "Records per second that failed"),
    PRODUCER_LATENCY_AVG(
        "producer-metrics",
        "request-latency-avg",
        Merge.MAX,
        "Milliseconds until a broker answers a send"),
    STREAM_FAILED_THREADS(
        "stream-metrics",
        "failed-stream-threads",
        Merge.SUM,
        "Threads of triage-stream that failed since it started"),
    STREAM_PROCESS_RATE(
        "stream-thread-metrics", "process-rate", Merge.SUM, "Records processed per second"),
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
