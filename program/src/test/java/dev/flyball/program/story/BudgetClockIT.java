package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.ChatVerdicts;
import dev.flyball.testkit.FaultServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** It is noon by the broker's clock, so that no test spans two of its days. */
@Tag("long")
@Timeout(300)
@DisplayName("INV-8: the day of a budget is one by the broker's clock, whatever a machine's shows")
final class BudgetClockIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** One day ahead or one behind; both with {@code -Dbudget.clocks=2}. */
  static IntStream days() {
    boolean ahead = ThreadLocalRandom.current().nextBoolean();
    return IntStream.of(ahead ? 1 : -1, ahead ? -1 : 1)
        .limit(Integer.getInteger("budget.clocks", 1));
  }

  @ParameterizedTest(name = "the clocks of triage and of the runner are {0} days ahead")
  @MethodSource("days")
  void aSpentBudgetStaysSpentOnMachinesOnAnotherDay(int days, @TempDir Path folder) {
    Duration noon =
        Duration.between(Instant.now().atZone(ZoneOffset.UTC).toLocalTime(), LocalTime.NOON);
    SteppedClock broker = SteppedClock.in(folder.resolve("broker"));
    SteppedClock machines = SteppedClock.in(folder.resolve("machines"));
    broker.step(noon);
    machines.step(noon.plusDays(days));
    try (FaultServer model = FaultServer.http()) {
      model.otherwise(request -> ChatVerdicts.of(request.body(), 1));
      var kafka = BrokerProcess.start(folder.resolve("kafka"), broker.environment());
      // No session may start before the money is spent.
      try (var cluster =
          Cluster.over(kafka, Workplace.in(folder, Workplace.ANSWERS))
              .configure(0, Workplace.SCALED)
              .with(variables(machines, model))
              .start(1)) {
        String address = cluster.kafka;
        cluster.add(1);
        await("the call that spends the day's budget")
            .atMost(PATIENCE)
            .until(() -> LedgerAudit.spentMicros(address) >= 1_000_000);
        cluster.add(1);
        await("the second item waits").atMost(PATIENCE).until(() -> waits(address, 1));
        cluster.order("cap", "3");
        assertThat(LedgerAudit.readAll(address, Topics.DEFAULT.sessionRequests())).hasSize(1);
        await("the runner looked").atMost(PATIENCE).until(() -> spokeSinceCap(address));
        assertThat(model.requests()).as(cluster::said).hasSize(1);
        assertThat(cluster.audit().claims).as("sessions").isEmpty();

        cluster.order("budget", "--daily-usd", "100");
        await("a session").atMost(PATIENCE).until(() -> !cluster.audit().claims.isEmpty());
      }
    }
  }

  /**
   * One call costs more than the budget of a day: an agent that is free may run on the last of it.
   */
  private static Map<String, String> variables(SteppedClock clock, FaultServer model) {
    var all = new HashMap<>(clock.environment());
    all.put("FLYBALL_BUDGET_DAILY_USD", "0.9");
    all.put("FLYBALL_TRIAGE_CLASSIFIER", "messages");
    all.put("FLYBALL_TRIAGE_API", "chat");
    all.put("FLYBALL_TRIAGE_URL", model.url().toString());
    all.put("FLYBALL_TRIAGE_MODEL", "small");
    all.put("FLYBALL_TRIAGE_PRICES_INPUT", Integer.toString(1_000_000 / ChatVerdicts.INPUT_TOKENS));
    all.put("FLYBALL_TRIAGE_PRICES_OUTPUT", "0");
    return all;
  }

  /** Whether a runner that could claim the first item's session has said that it runs. */
  private static boolean spokeSinceCap(String kafka) {
    return LedgerAudit.entries(kafka).stream()
        .dropWhile(entry -> !(entry instanceof LedgerEntry.Cap))
        .anyMatch(LedgerEntry.Runner.class::isInstance);
  }

  private static boolean waits(String kafka, int item) {
    return LedgerAudit.readAll(kafka, Topics.DEFAULT.triageVerdicts()).stream()
        .filter(record -> record.key().equals("default/backlog/" + item))
        .map(record -> String.valueOf(EventHeaders.text(record.headers(), EventHeaders.DEFERRED)))
        .anyMatch(reason -> reason.contains("budget of global"));
  }
}
