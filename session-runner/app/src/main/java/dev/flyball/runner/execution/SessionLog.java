package dev.flyball.runner.execution;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.runner.session.SessionStep;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session's lines in the log: one when its agent starts, one when it is silent for too long or
 * has many processes, one when its tree is killed, one when it ends. Everything else about it is in
 * its events.
 */
final class SessionLog {
  private static final Logger log = LoggerFactory.getLogger(SessionLog.class);

  private SessionLog() {}

  static void started(SessionHandle handle, long pid, String level, String agent) {
    log.info(
        "session started: session={} item={} attempt={} pid={} level={} agent={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid,
        level,
        agent);
  }

  static void hung(SessionHandle handle, long silentMs, long limitMs) {
    log.warn(
        "session hung: session={} item={} attempt={} pid={} silentMs={} limitMs={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid(handle),
        silentMs,
        limitMs);
  }

  /**
   * Written when the kill begins, so that a kill that hangs is seen too.
   *
   * @param signal the first signal that its processes get
   */
  static void killed(SessionHandle handle, String cause, String signal) {
    log.info(
        "session killed: session={} item={} attempt={} pid={} cause={} signal={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid(handle),
        cause,
        signal);
  }

  static void grown(SessionHandle handle, SessionStep.Grown grown) {
    log.warn(
        "session has many processes: session={} item={} attempt={} pid={} processes={} limit={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid(handle),
        grown.vitals().tree().processes(),
        grown.limit());
  }

  static void recovered(SessionHandle handle) {
    log.info(
        "session recovered: session={} item={} attempt={} pid={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid(handle));
  }

  /** Also of a session without an agent: then pid, exit and signal are unknown. */
  static void ended(SessionHandle handle, LedgerEntry.Release release, String level) {
    log.info(
        "session ended: session={} item={} attempt={} pid={} level={} exit={} signal={}"
            + " durationMs={} outcome={} reason={}",
        handle.session(),
        handle.item(),
        handle.lease().attempt(),
        pid(handle),
        level,
        known(release.exit()),
        known(release.signal()),
        release.timings().runningMs(),
        release.outcome().label(),
        known(release.reason()));
  }

  /** A machine that fails here must not keep the session from ending. */
  private static Object pid(SessionHandle handle) {
    try {
      return known(handle.live().map(live -> live.identity().pid()).orElse(null));
    } catch (RuntimeException | Error e) {
      return known(null);
    }
  }

  private static Object known(@Nullable Object value) {
    return value == null ? "-" : value;
  }
}
