package dev.flyball.program.story;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes numbers to a topic of three replicas and remembers which ones Kafka acknowledged. */
final class AcknowledgedWriter implements AutoCloseable {
  private static final String TOPIC = "acknowledged";

  /** Between two records. */
  private static final Duration PAUSE = Duration.ofMillis(5);

  private final String servers;
  private final Set<Integer> acknowledged = new ConcurrentSkipListSet<>();
  private final Thread thread;
  private volatile boolean stopped;

  AcknowledgedWriter(String servers) throws ExecutionException, InterruptedException {
    this.servers = servers;
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 3))).all().get();
    }
    this.thread = Thread.ofPlatform().name("acknowledged-writer").start(this::write);
  }

  private void write() {
    try (var producer =
        new KafkaProducer<>(
            Map.<String, Object>of("bootstrap.servers", servers, "acks", "all", "linger.ms", 20),
            new IntegerSerializer(),
            new StringSerializer())) {
      for (int i = 0; !stopped; i++) {
        int number = i;
        var _ =
            producer.send(
                new ProducerRecord<>(TOPIC, Integer.toString(number)),
                (place, failure) -> {
                  if (failure == null) {
                    acknowledged.add(number);
                  }
                });
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  /** Stops writing; returns once every record is acknowledged or given up. */
  void stop() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The numbers that Kafka acknowledged. */
  Set<Integer> acknowledged() {
    return acknowledged;
  }

  /** Acknowledged numbers that the topic does not hold. */
  Set<Integer> lost() {
    Set<Integer> held =
        LedgerAudit.readAll(servers, TOPIC).stream()
            .map(record -> Integer.valueOf(new String(record.value(), StandardCharsets.US_ASCII)))
            .collect(Collectors.toSet());
    return acknowledged.stream()
        .filter(number -> !held.contains(number))
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    stop();
  }
}
