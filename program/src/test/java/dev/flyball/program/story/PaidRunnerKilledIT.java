package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
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
    try (var cluster = Cluster.in(folder, "").configure(1, Workplace.SCALED)) {
      Workplace place = cluster.place;
      place
          .change("agent: \"[^\"]*\"", "agent: claude, lost: 100, budget: {usd: 0.50}")
          .change("triage: \\{", "triage: {classifier: rules, ")
          .change("\\z", "budget: {daily: {usd: " + DAILY / 1_000_000 + "}}\n");
      place.write("spent", "");
      cluster.add(2 * KILLS);
      cluster.with(place.claude(CLAUDE)).start(0);
      for (int i = 0; i < KILLS; i++) {
        // Most find their predecessor's sessions in their folder; these wait for a witness.
        killWhileItSpends(cluster, i % 7 == 3 ? "runner-" + i : "runner");
      }
      Program last = cluster.runner("runner");
      LedgerAudit audit = awaitBudgetSpent(cluster);
      Map<String, Long> spent = spentBySession(place);

      assertThat(spent).hasSizeGreaterThanOrEqualTo(KILLS);
      Map<String, Long> booked = booked(audit);
      assertThat(spent.keySet())
          .allSatisfy(session -> assertThat(booked).containsEntry(session, RESERVE));
      assertThat(audit.claims.keySet()).containsAll(spent.keySet());
      LedgerAudit.assertNoPromiseIsBroken(place.home, cluster.kafka);
      assertThat(spent.values().stream().mapToLong(each -> each).sum()).isLessThanOrEqualTo(DAILY);

      LedgerAudit later = awaitHeardLongAfter(cluster, audit);
      assertThat(later.claims).as("the daily budget stops it").hasSameSizeAs(audit.claims);
      assertThat(spentBySession(place)).isEqualTo(spent);
      assertThat(later.count(EventType.BUDGET_EXHAUSTED)).isEqualTo(1);
      assertThat(last.alive()).isTrue();
    }
  }

  private static void killWhileItSpends(Cluster cluster, String data) {
    int before = lines(cluster.place).size();
    Program runner = cluster.runner(data);
    Awaitility.await("spend under " + data)
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> assertThat(lines(cluster.place)).as(runner::err).hasSizeGreaterThan(before + 2));
    runner.kill9();
  }

  /** Nothing runs, and what is left is less than a session reserves. */
  private static LedgerAudit awaitBudgetSpent(Cluster cluster) {
    return await(
        "the daily budget is spent",
        cluster,
        audit ->
            audit.state.live() == 0
                && audit.state.spentMicros(Scope.GLOBAL, lastEnd(audit)) > DAILY - RESERVE);
  }

  /** The runner is still there two leases later, and could have claimed. */
  private static LedgerAudit awaitHeardLongAfter(Cluster cluster, LedgerAudit before) {
    Instant after = lastEnd(before).plus(Workplace.SCALED_LEASE.multipliedBy(2));
    return await(
        "the runner lives on",
        cluster,
        audit -> {
          List<LedgerEntry.Runner> runners = List.copyOf(audit.state.runners());
          return audit.state.heard(runners.getLast().id()).orElseThrow().isAfter(after);
        });
  }

  private static LedgerAudit await(String what, Cluster cluster, Predicate<LedgerAudit> condition) {
    return Awaitility.await(what)
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofSeconds(1))
        .until(cluster::audit, condition);
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
