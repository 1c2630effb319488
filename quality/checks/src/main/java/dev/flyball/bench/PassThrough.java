package dev.flyball.bench;

import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;

/**
 * {@code BOOTSTRAP FROM TO FOLDER}: a Streams app that copies a topic, exactly once, with the
 * settings of triage-stream. The yardstick of {@link DedupBench}.
 */
public final class PassThrough {
  static final String APPLICATION = "bench-pass-through";

  private PassThrough() {}

  /** Runs until it is killed. */
  public static void main(String[] args) throws InterruptedException {
    var properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION);
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    properties.put(StreamsConfig.STATE_DIR_CONFIG, args[3]);
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
    properties.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    properties.put(StreamsConfig.producerPrefix("linger.ms"), "20");
    properties.put(StreamsConfig.producerPrefix("batch.size"), "131072");
    var topology = new Topology();
    topology.addSource("from", new ByteArrayDeserializer(), new ByteArrayDeserializer(), args[1]);
    topology.addSink("to", args[2], new ByteArraySerializer(), new ByteArraySerializer(), "from");
    var streams = new KafkaStreams(topology, properties);
    streams.start();
    new CountDownLatch(1).await();
  }
}
