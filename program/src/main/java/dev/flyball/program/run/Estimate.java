package dev.flyball.program.run;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.ConfiguredProfiles;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.tracker.JsonlSource;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.triage.classify.ModelClassifier;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
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
    return of(items(items), configuration);
  }

  /** The estimate for this many items. */
  public static Estimate of(long count, Configuration configuration) {
    var apps = new AppConfigurations(configuration);
    ConfiguredClassifier classifier = apps.classifier();
    long calls = Math.ceilDiv(count, apps.triage().batchItems()) * ModelClassifier.MOST_CALLS;
    return new Estimate(
        apps.agents().paidAgents(),
        count,
        apps.agents().highestReserve(),
        apps.agents().sessionsPaid() ? configuration.get(Keys.ATTEMPTS) : 0,
        classifier.paid() ? calls * classifier.budgetMicros() : 0,
        apps.agents().dailyBudget());
  }

  /** What sessions of an agent that asks a model may cost; by default of claude. */
  public static String ofSessions(int sessions, Configuration configuration) {
    ConfiguredProfiles own = new AppConfigurations(configuration).agents();
    ConfiguredProfiles agents =
        own.sessionsPaid()
            ? own
            : new AppConfigurations(configuration.with(Keys.AGENT, "claude", "estimate")).agents();
    String all = CountedNoun.of(sessions, "session", "sessions") + " of " + agents.paidAgents();
    String most = dollars(agents.highestReserve() * sessions);
    String again = ", and a second attempt " + dollars(agents.highestReserve());
    String day = agents.dailyBudget().map(it -> "; a day at most " + dollars(it)).orElse("");
    return all + " would cost at most " + most + again + day + ".";
  }

  /** The same for a run that only scout answered; empty for any other. */
  static Optional<String> ofScoutsSessions(int sessions, Configuration configuration) {
    return new AppConfigurations(configuration).agents().onlyScout()
        ? Optional.of("scout costs nothing; " + ofSessions(sessions, configuration))
        : Optional.empty();
  }

  /** One line for a person who must decide. */
  public String line() {
    String who = CountedNoun.of(items, "item", "items") + ", " + agent;
    if (attempts > 0 && sessionMicros == 0) {
      return who
          + " without a limit a session (sessions.budget.usd is 0): the highest cost is unknown;"
          + " set sessions.budget.usd"
          + daily.map(limit -> "; budget.daily.usd holds it at " + dollars(limit)).orElse("");
    }
    var parts = new ArrayList<String>();
    if (attempts > 0) {
      parts.add(
          dollars(sessionMicros)
              + " a session (sessions.budget.usd), "
              + CountedNoun.of(attempts, "attempt", "attempts")
              + " an item");
    }
    if (attempts == 0 || triageMicros > 0) {
      parts.add(dollars(triageMicros) + " for all triage calls (triage.budget.usd)");
    }
    BigDecimal all =
        BigDecimal.valueOf(items)
            .multiply(BigDecimal.valueOf(sessionMicros))
            .multiply(BigDecimal.valueOf(attempts))
            .add(BigDecimal.valueOf(triageMicros));
    BigDecimal most = daily.map(BigDecimal::valueOf).map(all::min).orElse(all);
    String held = most.compareTo(all) == 0 ? "" : " (budget.daily.usd)";
    return who + ": at most " + dollars(most) + held + " with " + String.join(" and ", parts);
  }

  private static String dollars(long micros) {
    return dollars(BigDecimal.valueOf(micros));
  }

  private static String dollars(BigDecimal micros) {
    return "$" + micros.movePointLeft(6).setScale(2, RoundingMode.CEILING).toPlainString();
  }

  /** Distinct items: successive snapshots count once, because only the newest needs a session. */
  private static long items(Path file) {
    return read(file).items().stream().map(RawItem::key).distinct().count();
  }

  /** Whether a file has no items, and nothing that is meant to be one. */
  public static boolean nothing(Path items) {
    PollResult read = read(items);
    return read.items().isEmpty() && read.invalid().isEmpty();
  }

  private static PollResult read(Path file) {
    var named = SourceConfig.Jsonl.of(file);
    var source = new JsonlSource(file, named.tenant(), named.name(), InstantSource.system());
    try {
      return source.poll(null, RequestPermission.GRANTED);
    } catch (SourceFailure e) {
      throw new StartFailure(e.failure().reason());
    }
  }
}
