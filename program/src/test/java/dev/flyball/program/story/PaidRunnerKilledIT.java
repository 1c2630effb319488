package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-8 where no runner sees what its agents cost: each is killed while its agent spends. {@code
 * -Dpaid.kills=20} for more, an even number.
 */
@Tag("long")
final class PaidRunnerKilledIT {
  private static final int KILLS = Integer.getInteger("paid.kills", 4);
  private static final long RESERVE = 500_000;
  private static final long DAILY = (KILLS + 2) * RESERVE;

  /** Spends up to 0.40 USD, which it writes to a file and reports to none. */
  private static final String CLAUDE =
      """
      #!/bin/sh
      case "$1" in --version) echo "2.1.329 (Claude Code)"; exit 0 ;; esac
      cat > /dev/null
      echo '{"type":"system","subtype":"init","session_id":"any","model":"none"}'
      for i in 1 2 3 4 5 6 7 8 9 10; do
        echo "$FLYBALL_SESSION 40000" >> "$HOME/spent"
        sleep 0.1
      done
      echo '{"type":"result","subtype":"success","result":"Main.java line 1","usage":{"input_tokens":9,"output_tokens":9}}'
      """;

  @Test
  @DisplayName("kill after kill: all that was spent is booked, and the daily budget ends it")
  void aPaidRunnerThatIsKilledAgainAndAgainBooksWhatItsAgentsSpentAndIsStopped(
      @TempDir Path folder) {
    Workplace place = Workplace.in(folder, "");
    Map<String, String> path = place.claude(CLAUDE);
    place.write("spent", "");
    for (int i = 0; i < 2 * KILLS; i++) {
      place.add(i, 1);
    }
    try (var broker = BrokerProcess.start(folder.resolve("kafka"))) {
      String kafka = broker.bootstrapServers();
      place.write("flyball.yaml", configuration(place, kafka));
      try (var triage = Program.start(place.home, "triage", "--data", "triage");
          var producer = Program.start(place.home, "producer", "--data", "producer")) {
        triage.awaitReady();
        producer.awaitReady();
        for (int i = 0; i < KILLS; i++) {
          // Most find their predecessor's sessions in their folder; these wait for a witness.
          killWhileItSpends(place, path, i % 7 == 3 ? "runner-" + i : "runner");
        }
        try (var last = Program.start(place.home, path, "runner", "--data", "runner")) {
          LedgerAudit audit = awaitBudgetSpent(kafka);
          Map<String, Long> spent = spentBySession(place);

          assertThat(spent).hasSizeGreaterThanOrEqualTo(KILLS);
          assertThat(booked(audit)).containsAllEntriesOf(withReserve(spent));
          assertThat(audit.claims.keySet()).containsAll(spent.keySet());
          assertThat(LedgerAudit.byScript(kafka)).startsWith("no promise is broken");
          assertThat(total(spent)).isLessThanOrEqualTo(DAILY);

          LedgerAudit later = awaitHeardLongAfter(kafka, audit);
          assertThat(later.claims).as("the daily budget stops it").hasSameSizeAs(audit.claims);
          assertThat(spentBySession(place)).isEqualTo(spent);
          assertThat(later.count(EventType.BUDGET_EXHAUSTED)).isEqualTo(1);
          assertThat(last.alive()).isTrue();
        }
      }
    }
  }

  private static String configuration(Workplace place, String kafka) {
    return """
    cap: 1
    %s
    sources:
      - {name: backlog, type: jsonl, path: items.jsonl, interval: 1s}
    ledger: {lease: 4500ms, renew: 1s, margin: 1s}
    sessions: {agent: claude, repo: "%s", lost: 100, budget: {usd: 0.50}, stagger: 25ms, grace: 500ms}
    budget: {daily: {usd: %d}}
    gate: {load: 1000, pressure: 100, memory: 16MB}
    triage: {classifier: rules, batch: {items: 50, linger: 200ms}}
    """
        .formatted(Workplace.kafka(kafka), place.repository(), DAILY / 1_000_000);
  }

  private static void killWhileItSpends(Workplace place, Map<String, String> path, String data) {
    int before = lines(place).size();
    Program runner = Program.start(place.home, path, "runner", "--data", data);
    Awaitility.await("spend under " + data)
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> assertThat(lines(place)).as(runner::err).hasSizeGreaterThan(before + 2));
    runner.kill9();
  }

  /** Nothing runs, and what is left is less than a session reserves. */
  private static LedgerAudit awaitBudgetSpent(String kafka) {
    return await(
        "the daily budget is spent",
        kafka,
        audit ->
            audit.state.live() == 0
                && audit.state.spentMicros(Scope.GLOBAL, lastEnd(audit)) > DAILY - RESERVE);
  }

  /** The runner is still there two leases later, and could have claimed. */
  private static LedgerAudit awaitHeardLongAfter(String kafka, LedgerAudit before) {
    Instant after = lastEnd(before).plus(Workplace.SCALED_LEASE.multipliedBy(2));
    return await(
        "the runner lives on",
        kafka,
        audit -> {
          List<LedgerEntry.Runner> runners = List.copyOf(audit.state.runners());
          return audit.state.heard(runners.getLast().id()).orElseThrow().isAfter(after);
        });
  }

  private static LedgerAudit await(String what, String kafka, Predicate<LedgerAudit> condition) {
    return Awaitility.await(what)
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> LedgerAudit.of(kafka), condition);
  }

  private static Instant lastEnd(LedgerAudit audit) {
    return audit.endTimes.values().stream().max(Instant::compareTo).orElse(Instant.EPOCH);
  }

  private static Map<String, Long> booked(LedgerAudit audit) {
    var booked = new HashMap<String, Long>();
    audit.ends.forEach((session, end) -> {
      if (end instanceof Effect.Released released) {
        booked.put(session, released.lease().costMicros());
      } else if (end instanceof Effect.Expired expired) {
        booked.put(session, expired.lease().costMicros());
      }
    });
    return booked;
  }

  private static Map<String, Long> withReserve(Map<String, Long> spent) {
    var reserves = new HashMap<String, Long>();
    spent.keySet().forEach(session -> reserves.put(session, RESERVE));
    return reserves;
  }

  private static long total(Map<String, Long> spent) {
    return spent.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Map<String, Long> spentBySession(Workplace place) {
    var spent = new HashMap<String, Long>();
    for (String line : lines(place)) {
      String[] words = line.split(" ", -1);
      spent.merge(words[0], Long.parseLong(words[1]), Long::sum);
    }
    return spent;
  }

  private static List<String> lines(Workplace place) {
    try {
      return Files.readAllLines(place.home.resolve("spent"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
