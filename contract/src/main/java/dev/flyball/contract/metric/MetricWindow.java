package dev.flyball.contract.metric;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What happened to the items of one tenant in one minute or one hour; the value of {@code metrics}.
 * Counts are of events whose time lies in the window. A later record of the same key replaces an
 * earlier one: the window has grown.
 *
 * @param size {@code 1m} or {@code 1h}
 * @param start begin of the window, UTC; a multiple of its size
 * @param tenant the tenant, or {@code -} for events that belong to none (gates, budgets)
 * @param ended sessions that ended, by outcome
 * @param claimed sessions that were claimed
 * @param concurrencyPeak most sessions that were claimed and not ended at one time
 * @param running milliseconds from a session's start until its tree was verified dead
 * @param waiting milliseconds from a session's request to its start
 * @param tokens tokens of the sessions that ended
 * @param costMicros what sessions that ended and triage calls cost, in micro-dollars
 * @param savedMicros estimate of what dropped and skipped snapshots did not cost, in micro-dollars:
 *     for each of them what one analysis had cost on average until then
 * @param processesPeak most processes of one session
 * @param kills sessions that the runner ended, by the code of the failure, or else by the outcome
 * @param survivors processes that outlived their session
 * @param counts every other event by its name, for example {@code item.changed} or {@code
 *     poll.failed}, without progress reports; {@code triage.calls}: triage calls; {@code
 *     session.leaseExpired}: leases of silent runners, whose items are taken over; {@code other}:
 *     events of unknown types; {@code late}: events that were written more than a day after they
 *     happened
 */
public record MetricWindow(
    String size,
    Instant start,
    String tenant,
    Map<String, Long> ended,
    long claimed,
    long concurrencyPeak,
    @Nullable Quantiles running,
    @Nullable Quantiles waiting,
    long tokens,
    long costMicros,
    long savedMicros,
    long processesPeak,
    Map<String, Long> kills,
    long survivors,
    Map<String, Long> counts) {

  public MetricWindow {
    ended = Map.copyOf(ended);
    kills = Map.copyOf(kills);
    counts = Map.copyOf(counts);
  }

  /**
   * Durations in milliseconds.
   *
   * @param count how many
   */
  public record Quantiles(long count, long p50, long p95, long p99, long max) {}
}
