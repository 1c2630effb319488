package dev.flyball.ops.telemetry;

import java.util.List;

/**
 * Every metric of Flyball, under the name that Prometheus shows. No tag ever carries an id, so that
 * the number of series stays bounded. docs/topics.md lists them.
 */
public enum Metric {
  SESSIONS_LIVE(
      gauge("flyball_sessions_live"),
      "Open leases of all runners, as the ledger's fold shows them; every process shows the same"
          + " number"),
  SESSIONS_CAP(
      gauge("flyball_sessions_cap"),
      "The cap in force, from the ledger; 0 before the first runner seeded it"),
  RUNNER_SESSIONS(gauge("flyball_runner_sessions"), "Live session trees of this process alone"),
  RUNNER_PROCESSES(
      gauge("flyball_runner_processes"),
      "Live processes of all sessions of this process's runner, agents and what they started, as"
          + " last counted. sessions.processes.warn and .kill are limits for each session"),
  RUNNER_SLOTS(
      gauge("flyball_runner_slots"),
      "Sessions that this process's runner can run: sessions.slots, less one for each earlier"
          + " session whose processes cannot be ended. flyball_runner_sessions are in use"),
  RUNNER_ACCEPTS(
      gauge("flyball_runner_accepts"),
      "1 while this process's runner may claim, 0 while it may not: load, memory, pressure,"
          + " strays, disk, full slots, a fault of the runner or of each of its profiles"),
  RUNNER_CONTAINMENT(
      gauge("flyball_runner_containment", "level"),
      "1 at the containment level that this process's runner found to work: A+, A or B"),
  SPAWNS(
      gauge("flyball_runner_spawns_last_hour"),
      "Agents that this process has started within the last hour"),
  MEMORY_GROWTH(
      gauge("flyball_runner_memory_growth_bytes"),
      "Resident memory of this process, less what it was an hour ago (or at its start, if that is"
          + " later)"),
  RENEWAL_AGE(
      gauge("flyball_runner_renewal_age_seconds"),
      "How long ago the last renewal was sent that took effect, of this process's session for which"
          + " it is longest; 0 while none runs. Above half a lease health is degraded, and a margin"
          + " before the lease's end the session is killed"),
  RENEWAL_FAILURES(
      counter("flyball_renewal_failures_total"),
      "Lease renewals (heartbeats) of this process that the broker did not acknowledge. The next"
          + " one follows after ledger.renew; a session is killed only when"
          + " flyball_runner_renewal_age_seconds nears the lease"),
  LEDGER_READ_AGE(
      gauge("flyball_ledger_read_age_seconds"),
      "How long ago this process's runner last read an entry of the ledger; its own entries come"
          + " every 30 s, and three missed ones make health degraded"),
  LEDGER_ENTRIES(
      counter("flyball_ledger_entries_total"),
      "Ledger entries that this process's runner folded since its start, those that it read again"
          + " from the newest checkpoint included"),
  LEDGER_OFFSET(
      gauge("flyball_ledger_offset"),
      "Offset of the last ledger entry that this process's runner folded; runners that differ for"
          + " long read at different speeds"),
  LEDGER_REFUSED_APPENDS(
      gauge("flyball_ledger_refused_appends"),
      "Ledger entries of this process's runner that the broker rejected since the start, because"
          + " they are too large or not allowed; the log has the size and the reason of each"),
  DEAD_LETTERS_LOST(
      gauge("flyball_dead_letters_lost"),
      "Dead letters that this process's runner could not write since the start: the broker rejected"
          + " them, or too many came; the log names each record"),
  SESSIONS_ENDED(
      counter("flyball_sessions_ended_total", "outcome"),
      "Terminal events: completed, failed, timedOut, cancelled, interrupted, lost"),
  LIFECYCLE_EVENTS(
      counter("flyball_lifecycle_events_total", "event"),
      "Events that no other counter shows: hung (a silent agent), killed (a session that its runner"
          + " ended), rotated (a conversation that is not resumed any more), deferred (an attempt"
          + " that comes later)"),
  LEASE_TAKEOVERS(
      counter("flyball_lease_takeovers_total"),
      "Session leases that a witness ended because their runner was silent for a whole lease, as"
          + " the console folds the ledger"),
  SURVIVORS(
      gauge("flyball_survivors"),
      "Processes that are alive although their session ended, of live sessions and of sweeps; a"
          + " tree whose end cannot be verified counts as at least one. Above 0 a person has to"
          + " act"),
  STRAYS(
      gauge("flyball_stray_processes"),
      "Processes on this machine that belong to a session of this runner which has ended. From 10"
          + " on health is degraded, from 20 on they are ended and no session starts"),
  INVARIANTS_BROKEN(
      gauge("flyball_invariants_broken", "rule"),
      "1 while this rule is broken, as the console sees it: session started above the"
          + " cap, processes outlive their session, second terminal event"),
  PAUSES(
      gauge("flyball_pauses", "scope"),
      "Paused scopes of this kind: global, tenant, source or provider"),
  BUDGET_USED(
      gauge("flyball_budget_used_ratio", "scope"),
      "How much of today's budget is spent (1 is all of it), in dollars or tokens, whichever is"
          + " more; for each kind of scope the fullest budget: global, tenant, source or provider."
          + " 0 without a budget"),
  BUDGETS_SPENT(
      gauge("flyball_budgets_spent", "scope"),
      "Scopes of this kind whose budget is spent for today: all of it, or less is left than the"
          + " smallest amount that a session of a live runner reserves, and none of the scope's"
          + " sessions runs"),
  BACKLOG_ITEMS(gauge("flyball_backlog_items"), "Items that changed and are not settled yet"),
  BACKLOG_OLDEST_SECONDS(
      gauge("flyball_backlog_oldest_seconds"), "How long the oldest of them waits"),
  EVENT_LAG_RECORDS(
      gauge("flyball_event_lag_records"),
      "Records of session-events that the console has not stored yet"),
  EVENT_LAG_SECONDS(
      gauge("flyball_event_lag_seconds"),
      "Age of what the console has stored of the events, while it has not stored all; else 0"),
  COST_USD(counter("flyball_cost_usd_total"), "Spend of ended sessions and of triage"),
  SAVED_USD(
      counter("flyball_saved_usd_total", "by"),
      "Estimate of what was not spent: for each snapshot that dedup dropped and each item that"
          + " triage skipped, what one analysis has cost on average until then"),
  SESSIONS_DESERVED(
      counter("flyball_sessions_deserved_total", "answer"),
      "Completed sessions whose agent said whether the item deserved one: true, false or unknown."
          + " true by true and false together is triage's precision"),
  POLLS(counter("flyball_polls_total", "result"), "Polls of sources: finished, skipped, failed"),
  POLL_FAILURES(
      counter("flyball_poll_failures_total", "source", "category"),
      "Polls that failed: auth, rate limited, not found, malformed, unreachable; broker or internal"
          + " where the tracker is not to blame"),
  POLL_SUCCESS_AGE(
      gauge("flyball_poll_last_success_age_seconds", "source"),
      "How long ago the source was last polled with success, by any producer as far as this one"
          + " knows"),
  POLL_BEAT_AGE(
      gauge("flyball_poll_beat_age_seconds", "source"),
      "How long ago this process last renewed the source's poll lease; 0 while it does not hold it."
          + " From two intervals on health is degraded, after poll.lease another producer takes"
          + " over"),
  POLL_BEAT_FAILURES(
      counter("flyball_poll_beat_failures_total", "source"),
      "Renewals (heartbeats) of the source's poll lease by this process that took no effect"),
  POLL_TAKEOVERS(
      counter("flyball_poll_takeovers_total", "source"),
      "Poll leases that this process took from a producer that had been silent for a whole"
          + " poll.lease; check the producers above one an hour"),
  BREAKER_STATE(
      gauge("flyball_breaker_state", "source"),
      "Of a tracker, as far as this process knows: 0 closed, 1 half-open, 2 open, which means that"
          + " it is not polled"),
  TRIAGE_CALLS(
      counter("flyball_triage_calls_total"),
      "Calls of the classifier; one call answers a whole batch"),
  WRITE_BACKS(
      counter("flyball_write_backs_total", "outcome"),
      "Analyses written back to trackers: added, edited, skipped (there already), posted (webhook),"
          + " failed (tried again), dead (a dead letter)"),
  NOTIFICATIONS(
      counter("flyball_notifications_total", "type", "outcome"),
      "Notifications to slack, teams and webhook targets: sent, failed (given up), dropped (above"
          + " 20 an hour, or the target's queue was full)"),
  DEAD_LETTERS(
      counter("flyball_dead_letters_total"), "Records that could not be read, and items given up"),
  LATE_RECORDS(
      counter("flyball_late_records_total"),
      "What arrived after a session's terminal event and was dropped");

  private final Form form;
  private final String meaning;

  Metric(Form form, String meaning) {
    this.form = form;
    this.meaning = meaning;
  }

  /** A gauge shows a current value, a counter only grows. */
  public enum Kind {
    GAUGE,
    COUNTER
  }

  /** What a scrape needs to know of a metric. */
  private record Form(String prometheus, Kind kind, List<String> tags) {}

  private static Form gauge(String prometheus, String... tags) {
    return new Form(prometheus, Kind.GAUGE, List.of(tags));
  }

  private static Form counter(String prometheus, String... tags) {
    return new Form(prometheus, Kind.COUNTER, List.of(tags));
  }

  /** The name that Prometheus shows. */
  public String prometheus() {
    return form.prometheus();
  }

  public Kind kind() {
    return form.kind();
  }

  /** Names of its tags, in the order in which values are given. */
  public List<String> tags() {
    return form.tags();
  }

  /** One line for a person. */
  public String meaning() {
    return meaning;
  }
}
