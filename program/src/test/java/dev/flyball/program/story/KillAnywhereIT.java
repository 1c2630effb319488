package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-3, INV-5, INV-6, INV-7 through kill -9 of the whole program at every step of
 * the path (S0-9, S0-46, S0-50, S0-55, S0-59). {@code -Dkills.per.phase=3} for more.
 */
@Tag("long")
final class KillAnywhereIT {
  private static final int KILLS_PER_PHASE = Integer.getInteger("kills.per.phase", 2);

  private static final int CAP = 3;

  private static final String AGENT =
      """
      #!/bin/sh
      cat > /dev/null
      sleep 300 &
      sleep 0.4
      echo "Main.java line 1 is the cause"
      """;

  /** Where on an item's path the program is killed: right after this record was seen in the log. */
  enum Phase {
    SEEN(record -> record.topic().equals(Topics.DEFAULT.workItems())),
    CHANGED(event(EventType.ITEM_CHANGED)),
    ASKED(record -> record.topic().equals(Topics.DEFAULT.triageRequests())),
    ANSWERED(record -> record.topic().equals(Topics.DEFAULT.triageVerdicts())),
    QUEUED(record ->
        record.topic().equals(Topics.DEFAULT.sessionRequests()) && record.value() != null),
    CLAIMING(entry(LedgerEntry.Claim.class)),
    CLAIMED(event(EventType.SESSION_CLAIMED)),
    SPAWNED(event(EventType.SESSION_SPAWNED)),
    ANSWERING(event(EventType.SESSION_RESULT)),
    RELEASING(entry(LedgerEntry.Release.class)),
    LEASE_ENDED(event(EventType.SESSION_LEASE_ENDED)),
    TERMINAL(record -> typed(record, EventType.SESSION_COMPLETED));

    private final Predicate<ConsumerRecord<byte[], byte[]>> reached;

    Phase(Predicate<ConsumerRecord<byte[], byte[]>> reached) {
      this.reached = reached;
    }

    private static Predicate<ConsumerRecord<byte[], byte[]>> event(EventType type) {
      return record -> typed(record, type);
    }

    private static boolean typed(ConsumerRecord<byte[], byte[]> record, EventType type) {
      return record.topic().equals(Topics.DEFAULT.sessionEvents())
          && EventHeaders.typeOf(record.headers()).filter(type::equals).isPresent();
    }

    private static Predicate<ConsumerRecord<byte[], byte[]>> entry(
        Class<? extends LedgerEntry> kind) {
      return record ->
          record.topic().equals(Topics.DEFAULT.sessionLedger())
              && kind.isInstance(RecordJson.read(record.value(), LedgerEntry.class));
    }
  }

  @Test
  void everyItemSettlesOnceWhereverTheProgramIsKilled(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    String kafka = "127.0.0.1:" + FreePort.take();
    place.configure("broker: {listen: \"" + kafka + "\"}", CAP, Workplace.SCALED);
    place.withoutSources();
    Map<Phase, Integer> kills = new EnumMap<>(Phase.class);
    int items = 0;
    try (var sampler = SessionSampler.of(place)) {
      place.add(items++, 1);
      assertThat(run(place).awaitExit(Duration.ofMinutes(3)))
          .as("a first run makes the topics")
          .isZero();
      for (int round = 0; round < KILLS_PER_PHASE; round++) {
        for (Phase phase : Phase.values()) {
          place.add(items++, 1);
          place.add(items++, 1);
          if (killAt(place, phase)) {
            kills.merge(phase, 1, Integer::sum);
          }
        }
      }
      Program last = run(place);
      assertThat(last.awaitExit(Duration.ofMinutes(5))).as(last.err()).isZero();
      System.out.println("kill -9 by phase: " + kills);

      try (var up =
          Program.start(
              place.home,
              "up",
              "--data",
              "data",
              "--set",
              "console.listen=127.0.0.1:" + FreePort.take())) {
        up.awaitReady();
        LedgerAudit audit = LedgerAudit.of(kafka);
        assertThat(audit.settled(items)).as("all settled: " + audit.items).isTrue();
        assertThat(audit.claimsWithoutExactlyOneTerminal()).isEmpty();
        assertThat(sampler.most()).as("INV-1 by /proc").isLessThanOrEqualTo(CAP);
        assertThat(sampler.mostOf(audit::itemOf)).as("INV-2 by /proc").isLessThanOrEqualTo(1);
      }
    }
    assertThat(place.live()).as("INV-5: nothing survives").isEmpty();
    for (Phase phase : Phase.values()) {
      assertThat(kills.getOrDefault(phase, 0))
          .as(phase.name())
          .isGreaterThanOrEqualTo(KILLS_PER_PHASE);
    }
  }

  private static Program run(Workplace place) {
    return Program.start(
        place.home,
        "run",
        place.items.toString(),
        "--repo",
        place.repository().toString(),
        "--data",
        "data",
        "--json");
  }

  /** Starts the program and kills it when the phase is reached; true if it was killed there. */
  private static boolean killAt(Workplace place, Phase phase) {
    Program program = run(place);
    try (var tail = Tail.atEnd(program.awaitEmbeddedKafka(), Tail.path())) {
      boolean reached = tail.await(phase.reached, Duration.ofSeconds(90), program::alive);
      program.kill9();
      return reached;
    }
  }
}
