package dev.flyball.ops.telemetry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.DoubleSupplier;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;

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

  private final MeterRegistry registry;

  /** What is shown; the keys of a series' sources are the objects that Kafka names on removal. */
  private final ConcurrentMap<Series, ConcurrentMap<Object, DoubleSupplier>> shown =
      new ConcurrentHashMap<>();

  private record Series(KafkaFigure figure, String client) {}

  KafkaFigures(MeterRegistry registry) {
    this.registry = registry;
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
    var series = new Series(figure, ID.matcher(id).replaceAll(""));
    shown.compute(
        series,
        (key, sources) -> {
          if (sources == null) {
            sources = new ConcurrentHashMap<>();
            register(key);
          }
          sources.put(source, value);
          return sources;
        });
  }

  /** Drops a figure; one that is not known does nothing. */
  public void removed(Object source) {
    shown.forEach((series, sources) -> {
      if (sources.containsKey(source)) {
        shown.computeIfPresent(
            series,
            (key, left) -> {
              left.remove(source);
              if (!left.isEmpty()) {
                return left;
              }
              unregister(key);
              return null;
            });
      }
    });
  }

  private void register(Series series) {
    Gauge.builder(series.figure().prometheus(), shown, all -> value(all, series))
        .tag("client", series.client())
        .description(series.figure().meaning())
        .strongReference(true)
        .register(registry);
  }

  private void unregister(Series series) {
    Gauge gauge =
        registry.find(series.figure().prometheus()).tag("client", series.client()).gauge();
    if (gauge != null) {
      registry.remove(gauge);
    }
  }

  /** Kafka shows NaN where it has measured nothing lately, which is 0 here. */
  private static double value(
      ConcurrentMap<Series, ConcurrentMap<Object, DoubleSupplier>> all, Series series) {
    var sources = all.get(series);
    if (sources == null) {
      return 0;
    }
    DoubleStream measured =
        sources.values().stream().mapToDouble(DoubleSupplier::getAsDouble).filter(Double::isFinite);
    return switch (series.figure().merge()) {
      case SUM -> measured.sum();
      case MAX -> measured.max().orElse(0);
    };
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
      MAX
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
