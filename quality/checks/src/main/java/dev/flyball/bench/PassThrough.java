package dev.flyball.bench;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.triage.topology.StreamService;
import java.nio.file.Path;
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
    var clients = new KafkaClients(KafkaSettings.of(args[0]), "bench");
    Properties properties = StreamService.properties(clients, Path.of(args[3]));
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, APPLICATION);
    var topology = new Topology();
    topology.addSource("from", new ByteArrayDeserializer(), new ByteArrayDeserializer(), args[1]);
    topology.addSink("to", args[2], new ByteArraySerializer(), new ByteArraySerializer(), "from");
    var streams = new KafkaStreams(topology, properties);
    streams.start();
    new CountDownLatch(1).await();
  }
}
