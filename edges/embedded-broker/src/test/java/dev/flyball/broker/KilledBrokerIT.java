package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Issue 2, deliver 3: restart on the same folder after kill -9 with nothing lost. */
class KilledBrokerIT {
  private static final int ACKED_BEFORE_THE_KILL = 2_000;

  @TempDir Path dir;

  @Test
  void everyAcknowledgedRecordSurvivesKillMinusNine() throws Exception {
    Path ready = dir.resolve("ready");
    Process child = BrokerChild.start(dir.resolve("data"), ready);
    var acked = new AtomicLong();
    try {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(ready));
      Map<String, String> bootstrap =
          BrokerSecret.clientProperties(dir.resolve("data")).orElseThrow();
      Numbers.createTopic(bootstrap);
      produceUntilKilled(bootstrap, child, acked);
    } finally {
      child.destroyForcibly();
    }
    assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();

    long before = System.nanoTime();
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(dir.resolve("data")))) {
      Numbers.produce(broker.clientProperties(), -1, 0);
      System.out.println(
          "restart after kill -9 to first acknowledged record: "
              + Duration.ofNanos(System.nanoTime() - before).toMillis()
              + " ms; acknowledged before: "
              + acked.get());
      List<Long> read = Numbers.readAll(broker.clientProperties());
      assertThat(read).doesNotHaveDuplicates();
      assertThat(read).containsAll(LongStream.range(0, acked.get()).boxed().toList());
    }
  }

  /**
   * One partition and an idempotent producer: acknowledgements come in order, so the highest one
   * stands for all.
   */
  private static void produceUntilKilled(
      Map<String, String> bootstrap, Process child, AtomicLong acked) {
    try (var producer = Numbers.producer(bootstrap)) {
      boolean killed = false;
      for (long n = 0; n < 2_000_000 && !killed; n++) {
        long number = n;
        var _ =
            producer.send(
                new ProducerRecord<>(Numbers.TOPIC, number, number),
                (at, error) -> {
                  if (error == null) {
                    acked.set(number + 1);
                  }
                });
        if (acked.get() > ACKED_BEFORE_THE_KILL) {
          child.destroyForcibly();
          killed = true;
        }
      }
      producer.close(Duration.ZERO);
    }
    assertThat(acked.get()).isGreaterThan(ACKED_BEFORE_THE_KILL);
  }
}
