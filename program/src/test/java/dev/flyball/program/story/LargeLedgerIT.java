package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.RunnerApp;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ledgers whose state no single record could hold stop neither triage-stream nor a runner. {@code
 * -Dlarge.open=10000 -Dlarge.unsettled=100000} for more; printed are the times.
 */
@Tag("long")
final class LargeLedgerIT {
  private static final int OPEN = Integer.getInteger("large.open", 2_000);
  private static final int UNSETTLED = Integer.getInteger("large.unsettled", 6_000);
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** No lease of these stories may expire meanwhile. */
  private static final long LEASE_MS = Duration.ofHours(2).toMillis();

  @TempDir private Path folder;

  @Test
  void openLeasesAndUnsettledRequestsStopNeitherTriageNorCheckpointsNorARestart()
      throws IOException {
    try (var broker = BrokerProcess.start(folder.resolve("kafka"))) {
      KafkaClients clients = clients(broker);
      append(clients, new LedgerEntry.Init(OPEN + UNSETTLED, LEASE_MS, List.of()));
      try (var log = new ManyRecords(clients)) {
        for (int n = 0; n < OPEN + UNSETTLED; n++) {
          // A claimed request that its topic does not hold would be settled.
          log.request("q" + n, "acme/web/" + n);
          log.ledger(claim("q" + n, new Position(0, n), "s" + n, "acme/web/" + n));
          if (n >= OPEN) {
            log.ledger(release("s" + n));
          }
        }
      }
      String ends = OPEN + " open leases, " + UNSETTLED + " unsettled requests: ";
      try (TriageApp triage = triage(clients)) {
        timed(ends + "triage folds them", () -> start(triage), () -> folded(clients));
      }
      try (RunnerApp runner = runner(clients)) {
        timed(
            ends + "a runner reads them and writes a checkpoint",
            () -> start(runner),
            () -> checkpointed(clients));
      }
      try (RunnerApp runner = runner(clients)) {
        timed(
            ends + "a restarted runner has read the ledger",
            () -> start(runner),
            () -> runner.health().ready());
      }
      try (TriageApp triage = triage(clients)) {
        timed(
            ends + "a restarted triage runs",
            () -> start(triage),
            () -> triage.health().equals(Health.healthy()) && folded(clients));
      }
      LedgerState read = read(clients);
      assertThat(read.live()).isEqualTo(OPEN);
      assertThat(read.unsettled()).isEqualTo(UNSETTLED);
    }
  }

  private static void start(Service service) {
    service.start();
  }

  private static void timed(String what, Runnable begin, BooleanSupplier done) {
    long since = System.nanoTime();
    begin.run();
    await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(done::getAsBoolean);
    System.out.println(what + " after " + (System.nanoTime() - since) / 1_000_000 + " ms");
  }

  private static KafkaClients clients(BrokerProcess broker) {
    var clients = new KafkaClients(KafkaSettings.of(broker.bootstrapServers()), "test");
    new TopicProvisioner(clients).provision();
    return clients;
  }

  private TriageApp triage(KafkaClients clients) {
    return new TriageApp(
        TriageConfig.defaults(folder.resolve("triage")), clients.settings(), new Telemetry());
  }

  private RunnerApp runner(KafkaClients clients) throws IOException {
    Path repository = Files.createDirectories(folder.resolve("repository"));
    Path data = Files.createDirectories(folder.resolve("runner"));
    return new RunnerApp(
        RunnerConfig.defaults("r1", repository, data), clients.settings(), new Telemetry());
  }

  /** Whether triage-stream has committed all of the ledger. */
  private static boolean folded(KafkaClients clients) {
    var ledger = new TopicPartition(clients.topics().sessionLedger(), 0);
    String group = clients.topics().applicationId();
    try (Admin admin = clients.admin("folded");
        var consumer = clients.consumer("end")) {
      var committed =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().get(ledger);
      long end = consumer.endOffsets(List.of(ledger)).getOrDefault(ledger, 0L);
      return committed != null && committed.offset() >= end;
    } catch (ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean checkpointed(KafkaClients clients) {
    try (LedgerReader reader = LedgerReader.open(clients)) {
      return reader.start().live() == OPEN;
    }
  }

  private static LedgerState read(KafkaClients clients) {
    try (LedgerReader ledger = LedgerReader.open(clients)) {
      return folded(ledger, ledger.start());
    }
  }

  /** What the ledger is at its end now, by a reader that goes on where it was. */
  private static LedgerState folded(LedgerReader ledger, LedgerState from) {
    LedgerState state = from;
    do {
      for (LedgerRecord each : ledger.poll(Duration.ofMillis(200))) {
        LedgerState before = state;
        state =
            each.maybeEntry()
                .map(entry -> before.fold(entry, each.offset(), each.appendTime()).state())
                .orElse(before.skip(each.offset()));
      }
    } while (!ledger.caughtUp());
    return state;
  }

  private static void append(KafkaClients clients, LedgerEntry entry) {
    try (var log = new ManyRecords(clients)) {
      log.ledger(entry);
    }
  }

  private static LedgerEntry.Claim claim(String request, Position at, String session, String item) {
    return new LedgerEntry.Claim(
        request,
        at,
        at.offset() + 1,
        ItemKey.parse(item),
        1,
        session,
        "elsewhere",
        null,
        LedgerState.RULES,
        0);
  }

  private static LedgerEntry.Release release(String session) {
    return new LedgerEntry.Release(
        session,
        Outcome.FAILED,
        "no output",
        null,
        1,
        null,
        Timings.ZERO,
        0,
        0,
        Receipt.notStarted());
  }

  /** Writes many records and waits for them at the end. */
  private static final class ManyRecords implements AutoCloseable {
    private final KafkaClients clients;
    private final KafkaProducer<String, byte[]> producer;

    ManyRecords(KafkaClients clients) {
      this.clients = clients;
      this.producer = clients.producer("append", Map.of("linger.ms", "20", "batch.size", "200000"));
    }

    void ledger(LedgerEntry entry) {
      var _ =
          producer.send(
              new ProducerRecord<>(
                  clients.topics().sessionLedger(),
                  0,
                  "-",
                  RecordJson.bytes(entry),
                  EventHeaders.schema("ledger-entry/1")));
    }

    void request(String id, String key) {
      var request = Sample.request(id, Instant.EPOCH, snapshot(key));
      var _ =
          producer.send(
              new ProducerRecord<>(
                  clients.topics().sessionRequests(),
                  0,
                  key,
                  RecordJson.bytes(request),
                  EventHeaders.schema("session-request/1")));
    }

    private static Snapshot snapshot(String key) {
      return Sample.snapshot(
          "1", "A title", "crash in fooBar", Fingerprint.of(new TreeMap<>(Map.of("text", key))));
    }

    @Override
    public void close() {
      producer.close();
    }
  }
}
