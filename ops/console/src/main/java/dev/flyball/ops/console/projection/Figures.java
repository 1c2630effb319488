package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Outcome;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the projection's figures as metrics and health. Counters continue from what the projection
 * counted before this start, so that a restarted console never shows a lower value.
 */
final class Figures {
  private static final Logger LOG = LoggerFactory.getLogger(Figures.class);

  /**
   * The part of a scope's name before the colon; a global scope has only that part. There are as
   * many scopes as tenants, sources and providers, so metrics show kinds only.
   */
  static final List<String> KINDS = List.of("global", "tenant", "source", "provider");

  private final Telemetry telemetry;
  private final Map<String, Long> reserves;
  private final Map<String, Long> shown = new HashMap<>();
  private boolean registered;

  // Written by the console's thread, read by scrapes.
  private volatile long backlog;
  private volatile @Nullable Instant oldest;
  private volatile LedgerState ledger = LedgerState.empty();
  private volatile EventLag lag = EventLag.NONE;

  /** The active alarms, by the rule. */
  private volatile Map<String, BrokenInvariant> broken = Map.of();

  /**
   * Shows nothing yet.
   *
   * @param reserves what a claim of each profile would reserve of a budget, in micro-dollars, where
   *     no live runner announces it
   */
  Figures(Telemetry telemetry, Map<String, Long> reserves) {
    this.telemetry = telemetry;
    this.reserves = Map.copyOf(reserves);
  }

  /** Registers the gauges; further calls change nothing, so that a retry does not reset them. */
  void register() {
    if (registered) {
      return;
    }
    registered = true;
    telemetry.gauge(Metric.BACKLOG_ITEMS, () -> backlog);
    telemetry.gauge(Metric.BACKLOG_OLDEST_SECONDS, this::oldestSeconds);
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> ledger.live());
    telemetry.gauge(Metric.SESSIONS_CAP, () -> ledger.cap());
    telemetry.gauge(Metric.EVENT_LAG_RECORDS, () -> lag.records());
    telemetry.gauge(Metric.EVENT_LAG_SECONDS, () -> lag.seconds(Instant.now()));
    for (String kind : KINDS) {
      telemetry.gauge(Metric.PAUSES, () -> pauses(ledger, kind, Instant.now()), kind);
      telemetry.gauge(Metric.BUDGET_USED, () -> budgetUsed(ledger, kind, Instant.now()), kind);
      telemetry.gauge(Metric.BUDGETS_SPENT, () -> spent(kind), kind);
    }
    // From 0 on: Prometheus sees no increase in a counter that begins with 1.
    telemetry.count(Metric.LEASE_TAKEOVERS, 0);
    telemetry.count(Metric.COST_USD, 0);
    telemetry.count(Metric.DEAD_LETTERS, 0);
    for (String by : List.of("dedup", "triage")) {
      telemetry.count(Metric.SAVED_USD, 0, by);
    }
    for (String answer : List.of("true", "false", "unknown")) {
      telemetry.count(Metric.SESSIONS_DESERVED, 0, answer);
    }
    Arrays.stream(AlarmTable.Rule.values())
        .map(AlarmTable.Rule::label)
        .forEach(rule ->
            telemetry.gauge(
                Metric.INVARIANTS_BROKEN, () -> broken.containsKey(rule) ? 1 : 0, rule));
    for (String event : Projection.COUNTED.values()) {
      telemetry.count(Metric.LIFECYCLE_EVENTS, 0, event);
    }
    for (Outcome outcome : Outcome.values()) {
      telemetry.count(Metric.SESSIONS_ENDED, 0, outcome.label());
    }
  }

  /** Shows the lag, also while nothing else can be shown because no commit succeeds. */
  void behind(EventLag now) {
    lag = now;
  }

  /** Shows the projection's current figures, and returns the health that follows from them. */
  Health show(Projection projection, LedgerState folded) {
    Projection.Figure now = projection.figure();
    backlog = now.backlog();
    oldest = now.oldest();
    ledger = folded;
    Instant at = Instant.now();
    long reserve = BudgetUse.leastReserve(folded.reserves(reserves, at));
    now.counters().forEach(this::raise);
    alarms(now.broken());
    Health health = LedgerHealth.of(folded, reserve, at).and(LedgerHealth.ofRunners(folded, at));
    List<Health.Condition> broken = now.broken().stream().map(BrokenInvariant::condition).toList();
    return broken.isEmpty()
        ? health
        : health.and(new Health(Health.Status.UNHEALTHY, true, broken));
  }

  /** Counts a dead letter that the console wrote. */
  void buried() {
    telemetry.count(Metric.DEAD_LETTERS);
  }

  /** Logs an alarm when it begins and when it ends, and shows it meanwhile. */
  private void alarms(List<BrokenInvariant> now) {
    var ringing = new HashMap<String, BrokenInvariant>();
    now.forEach(each -> ringing.putIfAbsent(each.rule(), each));
    for (var alarm : ringing.entrySet()) {
      if (!broken.containsKey(alarm.getKey())) {
        LOG.error("invariant broken: {}", alarm.getValue().line());
      }
    }
    for (var alarm : broken.entrySet()) {
      if (!ringing.containsKey(alarm.getKey())) {
        LOG.warn("invariant holds again: {}", alarm.getValue().line());
      }
    }
    broken = Map.copyOf(ringing);
  }

  /**
   * Raises a counter to a total. A projection that was built again counts from zero; the metric
   * stays until the total exceeds it.
   */
  private void raise(String name, long value) {
    long before = shown.getOrDefault(name, 0L);
    if (value <= before) {
      return;
    }
    shown.put(name, value);
    double more = value - before;
    double dollars = more / 1_000_000.0;
    String[] parts = name.split(":", 2);
    switch (parts[0]) {
      case "ended" -> telemetry.count(Metric.SESSIONS_ENDED, more, parts[1]);
      case "event" -> telemetry.count(Metric.LIFECYCLE_EVENTS, more, parts[1]);
      case "deserved" -> telemetry.count(Metric.SESSIONS_DESERVED, more, parts[1]);
      case "saved" -> telemetry.count(Metric.SAVED_USD, dollars, parts[1]);
      case Projection.TAKEOVERS -> telemetry.count(Metric.LEASE_TAKEOVERS, more);
      case "cost" -> telemetry.count(Metric.COST_USD, dollars);
      default -> {}
    }
  }

  private double oldestSeconds() {
    Instant since = oldest;
    return since == null ? 0 : Math.max(0, Instant.now().getEpochSecond() - since.getEpochSecond());
  }

  /** How many scopes of a kind are paused. */
  static long pauses(LedgerState ledger, String kind, Instant now) {
    return ledger.pauses(now).stream().filter(it -> kind(it.scope()).equals(kind)).count();
  }

  /** The largest spent part of a budget of a kind's scopes; 1 is all of it. */
  static double budgetUsed(LedgerState ledger, String kind, Instant now) {
    return budgets(ledger, kind, now).mapToDouble(Figures::used).max().orElse(0);
  }

  /**
   * How many budgets of a kind are spent for today.
   *
   * @param reserve the least that a session which costs money reserves, in micro-dollars
   */
  static long budgetsSpent(LedgerState ledger, String kind, long reserve, Instant now) {
    return budgets(ledger, kind, now)
        .filter(it -> it.spent(reserve, ledger.live(it.scope())))
        .count();
  }

  private long spent(String kind) {
    Instant now = Instant.now();
    long reserve = BudgetUse.leastReserve(ledger.reserves(reserves, now));
    return budgetsSpent(ledger, kind, reserve, now);
  }

  private static Stream<BudgetUse> budgets(LedgerState ledger, String kind, Instant now) {
    return ledger.budgets(now).stream().filter(it -> kind(it.scope()).equals(kind));
  }

  private static double used(BudgetUse budget) {
    return Math.max(
        part(budget.spentMicros(), budget.limits().dailyCostMicros()),
        part(budget.spentTokens(), budget.limits().dailyTokens()));
  }

  /** A limit of 0 allows nothing, but nothing is spent of it either. */
  private static double part(long spent, @Nullable Long limit) {
    return limit == null || spent == 0 ? 0 : (double) spent / Math.max(1, limit);
  }

  private static String kind(String scope) {
    return scope.split(":", 2)[0];
  }
}
