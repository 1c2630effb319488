package dev.flyball.ops.telemetry;

import java.util.Optional;

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
  CONSUMER_CONNECTIONS("consumer-metrics", "connection-count", Merge.SUM, "Connections to brokers"),
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
  PRODUCER_CONNECTIONS("producer-metrics", "connection-count", Merge.SUM, "Connections to brokers"),
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
      "stream-thread-metrics", "commit-latency-avg", Merge.MAX, "Milliseconds that a commit takes");

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
