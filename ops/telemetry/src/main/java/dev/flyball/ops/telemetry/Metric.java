package dev.flyball.ops.telemetry;

import java.util.List;

/**
 * Every metric of Flyball, under the name that Prometheus shows. No tag ever carries an id, so that
 * the number of series stays bounded. docs/metrics.md is generated from here.
 */
public enum Metric {
  SESSIONS_LIVE(
      "flyball_sessions_live",
      Kind.GAUGE,
      "sessions",
      List.of(),
      "Open leases of all runners, as the ledger's fold shows them; every process shows the same"
          + " number"),
  SESSIONS_CAP(
      "flyball_sessions_cap",
      Kind.GAUGE,
      "sessions",
      List.of(),
      "The cap in force, from the ledger; 0 before the first runner seeded it"),
  RUNNER_SESSIONS(
      "flyball_runner_sessions",
      Kind.GAUGE,
      "sessions",
      List.of(),
      "Live session trees of this process alone"),
  RUNNER_CONTAINMENT(
      "flyball_runner_containment",
      Kind.GAUGE,
      "runners",
      List.of("level"),
      "1 at the containment level that this process's runner found to work: A+, A or B"),
  SPAWNS(
      "flyball_runner_spawns_last_hour",
      Kind.GAUGE,
      "sessions",
      List.of(),
      "Agents that this process has started within the last hour"),
  MEMORY_GROWTH(
      "flyball_runner_memory_growth_bytes",
      Kind.GAUGE,
      "bytes",
      List.of(),
      "Resident memory of this process, less what it was an hour ago (or at its start, if that is"
          + " later)"),
  RENEWAL_AGE(
      "flyball_runner_renewal_age_seconds",
      Kind.GAUGE,
      "seconds",
      List.of(),
      "How long ago the last renewal was sent that took effect, of this process's session for which"
          + " it is longest; 0 while none runs. Above half a lease health is degraded, and a margin"
          + " before the lease's end the session is killed"),
  LEDGER_READ_AGE(
      "flyball_ledger_read_age_seconds",
      Kind.GAUGE,
      "seconds",
      List.of(),
      "How long ago this process's runner last read an entry of the ledger; its own entries come"
          + " every 30 s, and three missed ones make health degraded"),
  LEDGER_REFUSED_APPENDS(
      "flyball_ledger_refused_appends",
      Kind.GAUGE,
      "entries",
      List.of(),
      "Ledger entries of this process's runner that the broker rejected since the start, because"
          + " they are too large or not allowed; the log has the size and the reason of each"),
  DEAD_LETTERS_LOST(
      "flyball_dead_letters_lost",
      Kind.GAUGE,
      "records",
      List.of(),
      "Dead letters that this process's runner could not write since the start: the broker rejected"
          + " them, or too many came; the log names each record"),
  SESSIONS_ENDED(
      "flyball_sessions_ended_total",
      Kind.COUNTER,
      "sessions",
      List.of("outcome"),
      "Terminal events: completed, failed, timedOut, cancelled, interrupted, lost"),
  SURVIVORS(
      "flyball_survivors",
      Kind.GAUGE,
      "processes",
      List.of(),
      "Processes that are alive although their session ended, of live sessions and of sweeps; a"
          + " tree whose end cannot be verified counts as at least one. Above 0 a person has to"
          + " act"),
  STRAYS(
      "flyball_stray_processes",
      Kind.GAUGE,
      "processes",
      List.of(),
      "Processes on this machine that belong to a session of this runner which has ended. From 10"
          + " on health is degraded, from 20 on they are ended and no session starts"),
  INVARIANTS_BROKEN(
      "flyball_invariants_broken",
      Kind.GAUGE,
      "rules",
      List.of("rule"),
      "1 while this rule is broken, as the console sees it: session started above the cap, two"
          + " sessions of one item, processes outlive their session, second terminal event"),
  BACKLOG_ITEMS(
      "flyball_backlog_items",
      Kind.GAUGE,
      "items",
      List.of(),
      "Items that changed and are not settled yet"),
  BACKLOG_OLDEST_SECONDS(
      "flyball_backlog_oldest_seconds",
      Kind.GAUGE,
      "seconds",
      List.of(),
      "How long the oldest of them waits"),
  COST_USD(
      "flyball_cost_usd_total",
      Kind.COUNTER,
      "dollars",
      List.of(),
      "Spend of ended sessions and of triage"),
  SAVED_USD(
      "flyball_saved_usd_total",
      Kind.COUNTER,
      "dollars",
      List.of("by"),
      "Estimate of what was not spent: for each snapshot that dedup dropped and each item that"
          + " triage skipped, what one analysis has cost on average until then"),
  SESSIONS_DESERVED(
      "flyball_sessions_deserved_total",
      Kind.COUNTER,
      "sessions",
      List.of("answer"),
      "Completed sessions whose agent said whether the item deserved one: true, false or unknown."
          + " true by true and false together is triage's precision"),
  POLLS(
      "flyball_polls_total",
      Kind.COUNTER,
      "polls",
      List.of("result"),
      "Polls of sources: finished, skipped, failed"),
  POLL_FAILURES(
      "flyball_poll_failures_total",
      Kind.COUNTER,
      "polls",
      List.of("source", "category"),
      "Polls that failed: auth, rate limited, not found, malformed, unreachable; broker or internal"
          + " where the tracker is not to blame"),
  POLL_SUCCESS_AGE(
      "flyball_poll_last_success_age_seconds",
      Kind.GAUGE,
      "seconds",
      List.of("source"),
      "How long ago the source was last polled with success, by any producer as far as this one"
          + " knows"),
  POLL_BEAT_AGE(
      "flyball_poll_beat_age_seconds",
      Kind.GAUGE,
      "seconds",
      List.of("source"),
      "How long ago this process last renewed the source's poll lease; 0 while it does not hold it."
          + " From two intervals on health is degraded, after poll.lease another producer takes"
          + " over"),
  POLL_TAKEOVERS(
      "flyball_poll_takeovers_total",
      Kind.COUNTER,
      "takeovers",
      List.of("source"),
      "Poll leases that this process took from a producer that had been silent for a whole"
          + " poll.lease; check the producers above one an hour"),
  BREAKER_STATE(
      "flyball_breaker_state",
      Kind.GAUGE,
      "state",
      List.of("source"),
      "Of a tracker, as far as this process knows: 0 closed, 1 half-open, 2 open, which means that"
          + " it is not polled"),
  TRIAGE_CALLS(
      "flyball_triage_calls_total",
      Kind.COUNTER,
      "calls",
      List.of(),
      "Calls of the classifier; one call answers a whole batch"),
  WRITE_BACKS(
      "flyball_write_backs_total",
      Kind.COUNTER,
      "analyses",
      List.of("outcome"),
      "Analyses written back to trackers: added, edited, skipped (there already), posted (webhook),"
          + " failed (tried again), dead (a dead letter)"),
  NOTIFICATIONS(
      "flyball_notifications_total",
      Kind.COUNTER,
      "messages",
      List.of("type", "outcome"),
      "Notifications to slack, teams, webhook and mail targets: sent, failed (given up), dropped"
          + " (above notify.rate, or the target's queue was full)"),
  DEAD_LETTERS(
      "flyball_dead_letters_total",
      Kind.COUNTER,
      "records",
      List.of(),
      "Records that could not be read, and items given up"),
  LATE_RECORDS(
      "flyball_late_records_total",
      Kind.COUNTER,
      "records",
      List.of(),
      "What arrived after a session's terminal event and was dropped"),
  REQUESTS_LOST(
      "flyball_requests_lost_total",
      Kind.COUNTER,
      "offsets",
      List.of(),
      "Offsets at the end of session-requests that the ledger knows of and its broker lost, by a"
          + " loss of power or an unclean leader election; triage-stream replaces the records."
          + " Alert on any increase");

  private final String prometheus;
  private final Kind kind;
  private final String unit;
  private final List<String> tags;
  private final String meaning;

  Metric(String prometheus, Kind kind, String unit, List<String> tags, String meaning) {
    this.prometheus = prometheus;
    this.kind = kind;
    this.unit = unit;
    this.tags = tags;
    this.meaning = meaning;
  }

  /** A gauge shows a current value, a counter only grows. */
  public enum Kind {
    GAUGE,
    COUNTER
  }

  /** The name that Prometheus shows. */
  public String prometheus() {
    return prometheus;
  }

  public Kind kind() {
    return kind;
  }

  /** The unit of its value. */
  public String unit() {
    return unit;
  }

  /** Names of its tags, in the order in which values are given. */
  public List<String> tags() {
    return tags;
  }

  /** One line for a person. */
  public String meaning() {
    return meaning;
  }
}
