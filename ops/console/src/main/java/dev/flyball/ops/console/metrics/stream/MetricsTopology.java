package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.state.Stores;

/**
 * The topology: a part for each partition of session-events reads events into facts, and one part
 * folds the facts of all of them. A session's cap and an hour's counts are of all partitions, so
 * they cannot be counted in one.
 *
 * <p>Kafka 4.3 rejects another topology of the same group. One that changes needs another {@link
 * Topics#metricsApplicationId}; it then counts again from the events that are kept.
 */
final class MetricsTopology {
  /** The fold's one store. */
  static final String STORE = "windows";

  private static final String FACTS = "facts";

  private MetricsTopology() {}

  /**
   * Builds the topology, for production and tests.
   *
   * @param tick how often changed windows are written
   */
  static Topology build(Topics topics, Duration tick) {
    var builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray())
            .withCachingEnabled());
    String schema = topics.spec(topics.metrics()).schema();
    builder.stream(
            topics.sessionEvents(),
            Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("events"))
        .process(FactReader::new, Named.as("read"))
        .repartition(
            Repartitioned.<String, byte[]>as(FACTS)
                .withNumberOfPartitions(1)
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.ByteArray()))
        .process(() -> new WindowFold(schema, tick), Named.as("fold"), STORE)
        .to(
            topics.metrics(),
            Produced.<String, byte[]>as("write")
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.ByteArray()));
    return builder.build();
  }
}
