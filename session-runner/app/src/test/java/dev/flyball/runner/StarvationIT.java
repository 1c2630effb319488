package dev.flyball.runner;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A paused source with a long queue, and what it costs the other one, on a real broker. */
class StarvationIT {
  private static final int PAUSED = 5_000;
  private static final int OTHERS = 7;
  private static final Duration PROMISED = Duration.ofSeconds(1);

  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  @Test
  void besideAPausedSourceWithThousandsOfUrgentRequestsEachFreeSlotIsClaimedWithinASecond(
      @TempDir Path folder) throws IOException {
    KAFKA.provision();
    var config =
        new RunnerConfig(
            "r1",
            folder,
            new RunnerConfig.Ledger(1, List.of(), RunnerConfig.Clocks.DEFAULT),
            RunnerConfig.Agents.of(
                AgentName.parse("command:" + agent(folder)),
                Files.createDirectory(folder.resolve("repo"))),
            RunnerConfig.Slots.DEFAULT,
            SessionLimits.DEFAULT,
            GateLimits.DEFAULT);
    var app = new RunnerApp(config, KAFKA.settings(), new Telemetry());
    try {
      app.start();
      await().until(() -> app.health().equals(Health.healthy()));
      KAFKA.produce(
          KAFKA.topics().sessionLedger(),
          "-",
          new LedgerEntry.Pause("source:acme/paused", null, -1, "ann", "release"));
      flood();
      for (int i = 0; i < OTHERS; i++) {
        String item = "acme/other/" + i;
        KAFKA.produce(KAFKA.topics().sessionRequests(), item, request(item, 4, Instant.now()));
      }

      Slot slot = await().until(Slot::read, it -> it.free.size() == OTHERS - 1);

      System.err.println("free slot -> claim beside " + PAUSED + " paused requests: " + slot.free);
      assertThat(slot.free).as("what was promised").allMatch(it -> it.compareTo(PROMISED) < 0);
      assertThat(slot.items).allMatch(item -> item.startsWith("acme/other/"));
    } finally {
      app.stop();
    }
  }

  private static void flood() {
    var sent = new ArrayList<Future<RecordMetadata>>();
    try (var producer = KAFKA.clients("test").producer("flood")) {
      for (int i = 0; i < PAUSED; i++) {
        sent.add(
            producer.send(
                new ProducerRecord<>(
                    KAFKA.topics().sessionRequests(),
                    "acme/paused/" + i,
                    RecordJson.bytes(request("paused-" + i, 1, Instant.EPOCH)))));
      }
    }
    assertThat(sent).allMatch(Future::isDone);
  }

  private static Path agent(Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("agent"), "#!/bin/sh\necho fine\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static SessionRequest request(String id, int priority, Instant since) {
    var snapshot = Sample.snapshot("Search is slow", "The search takes 30 s.");
    return Sample.request(id, priority, since, null, snapshot);
  }

  /** The only slot of a cap of 1, by the ledger: no clock but the broker's has a part in it. */
  private static final class Slot {
    /** From each end of a lease to the claim that took effect after it. */
    final List<Duration> free = new ArrayList<>();

    final List<String> items = new ArrayList<>();

    static Slot read() {
      var slot = new Slot();
      LedgerState ledger = LedgerState.empty();
      Instant released = null;
      for (ConsumerRecord<String, byte[]> it : KAFKA.records(KAFKA.topics().sessionLedger())) {
        Instant time = Instant.ofEpochMilli(it.timestamp());
        Folded folded =
            ledger.fold(RecordJson.read(it.value(), LedgerEntry.class), it.offset(), time);
        ledger = folded.state();
        if (folded.effect() instanceof Effect.Released) {
          released = time;
        } else if (folded.effect() instanceof Effect.Claimed claimed) {
          slot.items.add(claimed.lease().item().toString());
          if (released != null) {
            slot.free.add(Duration.between(released, time));
          }
        }
      }
      return slot;
    }
  }
}
