package dev.flyball.program.run;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.tracker.JsonlSource;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.triage.classify.ModelClassifier;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What a run may cost at most, before any item was checked: known items and those that triage skips
 * cost nothing.
 *
 * @param agent the agents that cost money
 * @param items distinct items in the file
 * @param sessionMicros most micro-dollars of the dearest profile's session, 0 for no limit
 * @param attempts most sessions of an item that cost money, 0 if none does
 * @param triageMicros most micro-dollars of all triage calls, 0 if they cost nothing or have no
 *     limit
 * @param daily most micro-dollars of a day, empty if nothing limits it
 */
public record Estimate(
    String agent,
    long items,
    long sessionMicros,
    int attempts,
    long triageMicros,
    Optional<Long> daily) {

  /** The estimate for a file of items. */
  public static Estimate of(Path items, Configuration configuration) {
    var apps = new AppConfigurations(configuration);
    long count = items(items);
    return new Estimate(
        apps.agents().paidAgents(),
        count,
        apps.agents().highestReserve(),
        apps.agents().sessionsPaid() ? configuration.get(Keys.ATTEMPTS) : 0,
        triage(apps, count),
        apps.agents().dailyBudget());
  }

  private static long triage(AppConfigurations apps, long items) {
    ConfiguredClassifier classifier = apps.classifier();
    long call =
        switch (classifier) {
          case ConfiguredClassifier.Rules rules -> 0;
          case ConfiguredClassifier.ByAgent by -> by.budgetMicros();
          case ConfiguredClassifier.ByMessages by -> by.budgetMicros();
        };
    int batch = apps.triage().batchItems();
    return classifier.paid() ? Math.ceilDiv(items, batch) * ModelClassifier.MOST_CALLS * call : 0;
  }

  /** One line for a person who must decide. */
  public String line() {
    if (attempts == 0) {
      return CountedNoun.of(items, "item", "items")
          + ", "
          + agent
          + " judges them: at most $"
          + dollars(within(BigDecimal.valueOf(triageMicros)))
          + " for triage (triage.budget.usd)"
          + held();
    }
    if (sessionMicros == 0) {
      return CountedNoun.of(items, "item", "items")
          + ", "
          + agent
          + " without a limit a session (sessions.budget.usd is 0): the highest cost is unknown;"
          + " set sessions.budget.usd"
          + held();
    }
    BigDecimal once = BigDecimal.valueOf(items).multiply(BigDecimal.valueOf(sessionMicros));
    BigDecimal triage = BigDecimal.valueOf(triageMicros);
    return CountedNoun.of(items, "item", "items")
        + ", "
        + agent
        + " at up to $"
        + dollars(BigDecimal.valueOf(sessionMicros))
        + " a session (sessions.budget.usd)"
        + (triageMicros > 0
            ? " and $" + dollars(triage) + " for all triage calls (triage.budget.usd)"
            : "")
        + ": at most $"
        + dollars(within(once.add(triage)))
        + " if every item needs one session, $"
        + dollars(within(once.multiply(BigDecimal.valueOf(attempts)).add(triage)))
        + " if every one needs all "
        + attempts
        + " attempts"
        + held();
  }

  private String held() {
    return daily
        .map(limit -> "; budget.daily.usd holds it at $" + dollars(BigDecimal.valueOf(limit)))
        .orElse("");
  }

  private BigDecimal within(BigDecimal micros) {
    return daily.map(limit -> micros.min(BigDecimal.valueOf(limit))).orElse(micros);
  }

  private static String dollars(BigDecimal micros) {
    return micros.movePointLeft(6).setScale(2, RoundingMode.CEILING).toPlainString();
  }

  /**
   * Distinct items: successive snapshots of an item count once, because only its newest needs a
   * session.
   */
  private static long items(Path file) {
    var named = SourceConfig.Jsonl.of(file);
    var source = new JsonlSource(file, named.tenant(), named.name(), InstantSource.system());
    return switch (source.poll(null, RequestPermission.GRANTED)) {
      case PollResult.Read read -> read.items().stream().map(RawItem::key).distinct().count();
      case PollResult.Failed failed -> throw new StartFailure(failed.failure().reason());
    };
  }
}
