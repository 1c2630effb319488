package dev.flyball.ops.console.view;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The overall figures: the head of the page, and the figures of the metrics.
 *
 * @param live open leases
 * @param cap the cap in force
 * @param items how many items are in each state; absent states have none
 * @param backlog items that are not settled
 * @param oldest since when the oldest of them waits
 * @param ended sessions by the name of their outcome, since the projection began
 * @param costMicros spend of ended sessions and triage, in micro-dollars
 * @param deadLetters records in dead-letters, since the projection began
 * @param pauses scopes that are paused, by scope
 * @param runners runners that announced themselves
 * @param broken invariants that are broken, one line each
 * @param asOf when the projection last heard from Kafka; null before
 */
public record Summary(
    int live,
    int cap,
    Map<String, Long> items,
    long backlog,
    @Nullable Instant oldest,
    Map<String, Long> ended,
    long costMicros,
    long deadLetters,
    List<Pause> pauses,
    List<Runner> runners,
    List<String> broken,
    @Nullable Instant asOf) {

  /** Items that wait for a session: those in triage, with a session or in back-off do not. */
  public long waiting() {
    return items.getOrDefault("queued", 0L);
  }

  /** One line for each fact that is not urgent: items by state, dead letters, runners. */
  public Stream<String> standing() {
    String states =
        new TreeMap<>(items)
            .entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    return Stream.of(
            Stream.of("items: " + (states.isEmpty() ? "none" : states)),
            Stream.of("dead letters: " + deadLetters).filter(_ -> deadLetters > 0),
            runners.stream()
                .filter(each -> each.refusing() == null)
                .map(each ->
                    "runner " + each.id() + ": " + each.slots() + " slots, level " + each.level()))
        .flatMap(lines -> lines);
  }

  /**
   * One pause.
   *
   * @param scope what a resume names
   * @param line the scope, who paused it, until when, and why
   */
  public record Pause(String scope, String line) {}

  /**
   * One runner by its last entry.
   *
   * @param refusing why its gate declines new sessions, null if it is open
   */
  public record Runner(String id, String level, int slots, @Nullable String refusing) {}

  /**
   * How many sessions of a scope run at the same time, at most.
   *
   * @param scope global, tenant:T, source:T/S or provider:P
   * @param cap the most
   * @param live how many run; null if the scope is of all tenants and the reader sees only some
   */
  public record ScopeCap(String scope, int cap, @Nullable Integer live) {
    /** Every cap of a ledger, the global one first. */
    public static List<ScopeCap> all(LedgerState ledger) {
      return ledger.capped().stream()
          .map(of ->
              new ScopeCap(
                  of,
                  ledger.cap(of).orElseThrow(),
                  of.equals(Scope.GLOBAL) ? ledger.live() : ledger.live(of)))
          .toList();
    }

    /** The same without how many run. */
    public ScopeCap withoutFigures() {
      return new ScopeCap(scope, cap, null);
    }
  }

  /**
   * What was spent on this UTC day, by the ledger, and what was saved.
   *
   * @param todayMicros micro-dollars of the tenants that the reader sees
   * @param todayTokens tokens
   * @param budgets the scopes that have a limit
   * @param savedMicros what dedup and triage have saved since the projection began, an estimate, by
   *     {@code dedup} and {@code triage}
   */
  public record DaySpend(
      long todayMicros, long todayTokens, List<Budget> budgets, Map<String, Long> savedMicros) {
    public DaySpend {
      budgets = List.copyOf(budgets);
      savedMicros = Map.copyOf(savedMicros);
    }

    /**
     * A scope's budget of the day; null means no limit.
     *
     * @param scope global, tenant:T, source:T/S or provider:P
     */
    public record Budget(
        String scope,
        long spentMicros,
        @Nullable Long limitMicros,
        long spentTokens,
        @Nullable Long limitTokens) {
      /** That of any scope, by the ledger. */
      public static Budget of(String scope, LedgerState ledger, Instant now) {
        Limits limits = ledger.limits(scope);
        return new Budget(
            scope,
            ledger.spentMicros(scope, now),
            limits.dailyCostMicros(),
            ledger.spentTokens(scope, now),
            limits.dailyTokens());
      }
    }
  }

  /**
   * The sessions that ended within a time, as far as they are kept.
   *
   * @param ended how many by outcome; absent outcomes have none
   * @param averageRunningMs mean time from the agent's start until its tree was verified dead, 0
   *     without sessions
   * @param costMicros in micro-dollars
   */
  public record SessionTotals(Map<String, Long> ended, long averageRunningMs, long costMicros) {
    public SessionTotals {
      ended = Map.copyOf(ended);
    }

    /** How many ended. */
    public long sessions() {
      return ended.values().stream().mapToLong(Long::longValue).sum();
    }
  }
}
