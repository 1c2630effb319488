package dev.flyball.ops.console.projection;

import dev.flyball.contract.ledger.BudgetUse;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Outcome;
import dev.flyball.ops.console.projection.ProjectionInput.EventLag;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.LedgerHealth;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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

  private static final double MICROS = 1e6;

  private final Telemetry telemetry;
  private final Map<String, Long> reserves;

  /**
   * The counters' totals; written by the console's thread, read by scrapes. A projection that was
   * built again counts from zero; the metric stays until its total is exceeded.
   */
  private final ConcurrentMap<String, Long> totals = new ConcurrentHashMap<>();

  /** Whether there was anything to show: until then a gauge would be 0 without being so. */
  private boolean registered;

  // Written by the console's thread, read by scrapes.
  private volatile ProjectionFile.Figure now =
      new ProjectionFile.Figure(0, null, new TreeMap<>(), List.of());
  private volatile LedgerState ledger = LedgerState.empty();
  private volatile EventLag lag = EventLag.NONE;

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

  private void register() {
    telemetry.gauge(Metric.BACKLOG_ITEMS, () -> now.backlog());
    telemetry.gauge(Metric.BACKLOG_OLDEST_SECONDS, this::oldestSeconds);
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> ledger.live());
    telemetry.gauge(Metric.SESSIONS_CAP, () -> ledger.cap());
    telemetry.gauge(Metric.EVENT_LAG_RECORDS, () -> lag.records());
    telemetry.gauge(Metric.EVENT_LAG_SECONDS, () -> lag.seconds(Instant.now()));
    for (String kind : KINDS) {
      telemetry.gauge(Metric.PAUSES, () -> pauses(ledger, kind, Instant.now()), kind);
      telemetry.gauge(Metric.BUDGET_USED, () -> budgetUsed(ledger, kind, Instant.now()), kind);
      telemetry.gauge(
          Metric.BUDGETS_SPENT,
          () -> budgetsSpent(ledger, kind, leastReserve(Instant.now()), Instant.now()),
          kind);
    }
    // From 0 on: Prometheus sees no increase in a counter that begins with 1.
    telemetry.count(Metric.DEAD_LETTERS, 0);
    telemetry.counter(Metric.LEASE_TAKEOVERS, () -> total("takeovers"));
    telemetry.counter(Metric.COST_USD, () -> total("cost") / MICROS);
    for (String by : List.of("dedup", "triage")) {
      telemetry.counter(Metric.SAVED_USD, () -> total("saved:" + by) / MICROS, by);
    }
    for (String answer : List.of("true", "false", "unknown")) {
      telemetry.counter(Metric.SESSIONS_DESERVED, () -> total("deserved:" + answer), answer);
    }
    for (String event : List.of("hung", "killed", "rotated", "deferred")) {
      telemetry.counter(Metric.LIFECYCLE_EVENTS, () -> total("event:" + event), event);
    }
    for (Outcome outcome : Outcome.values()) {
      String label = outcome.label();
      telemetry.counter(Metric.SESSIONS_ENDED, () -> total("ended:" + label), label);
    }
    for (LedgerTable.Rule rule : LedgerTable.Rule.values()) {
      String label = rule.label();
      telemetry.gauge(Metric.INVARIANTS_BROKEN, () -> contains(now.broken(), label) ? 1 : 0, label);
    }
  }

  private double total(String counter) {
    return totals.getOrDefault(counter, 0L);
  }

  /** Shows the lag, also while nothing else can be shown because no commit succeeds. */
  void behind(EventLag now) {
    lag = now;
    if (!registered) {
      registered = true;
      register();
    }
  }

  /** Shows the projection's current figures, and returns the health that follows from them. */
  Health show(ProjectionFile.Figure figure, LedgerState folded) {
    figure.counters().forEach((name, value) -> totals.merge(name, value, Math::max));
    alarms(figure.broken(), now.broken());
    now = figure;
    ledger = folded;
    Instant at = Instant.now();
    Health health =
        LedgerHealth.of(folded, leastReserve(at), at).and(LedgerHealth.ofRunners(folded, at));
    return figure.broken().isEmpty()
        ? health
        : health.and(
            new Health(
                Health.Status.UNHEALTHY,
                true,
                figure.broken().stream().map(BrokenInvariant::condition).toList()));
  }

  private long leastReserve(Instant at) {
    return BudgetUse.leastReserve(ledger.reserves(reserves, at));
  }

  /** Counts a dead letter that the console wrote. */
  void buried() {
    telemetry.count(Metric.DEAD_LETTERS);
  }

  /** Logs an alarm, one of each rule, when it begins and when it ends. */
  private static void alarms(List<BrokenInvariant> broken, List<BrokenInvariant> before) {
    broken.stream()
        .filter(each -> !contains(before, each.rule()))
        .forEach(each -> LOG.error("invariant broken: {}", each.line()));
    before.stream()
        .filter(each -> !contains(broken, each.rule()))
        .forEach(each -> LOG.warn("invariant holds again: {}", each.line()));
  }

  private static boolean contains(List<BrokenInvariant> all, String rule) {
    return all.stream().anyMatch(each -> each.rule().equals(rule));
  }

  private double oldestSeconds() {
    Instant since = now.oldest();
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
