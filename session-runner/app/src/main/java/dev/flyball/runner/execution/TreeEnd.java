package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.runner.session.EndCause;
import java.util.List;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a session's process tree and waits until nothing is left. A tree that cannot be ended is
 * reported when that is first seen, every ten minutes while it lasts, and when its last process has
 * ended. It keeps its slot and its lease meanwhile.
 */
record TreeEnd(Session session, Sessions all) {
  private static final Logger log = LoggerFactory.getLogger(TreeEnd.class);
  private static final long AGAIN_MS = 200;

  /** Attempts that may fail before a tree is reported as one that cannot be ended. */
  private static final int MOST_UNVERIFIED = 5;

  /** Returns once nothing of the tree is left. */
  KillReport end(LiveSession agent, KillLadder ladder) throws InterruptedException {
    KillReport report = agent.end(ladder, this::unkillable);
    gone();
    EndCause cause = agent.cause();
    log.info(
        "tree ended: session={} cause={} detail={}",
        session.id(),
        cause == null ? "none" : cause.kind(),
        cause == null ? "" : all.redacted(cause.text()));
    return report;
  }

  /**
   * Ends what was left by a start that was given up or failed half way. Returns only once nothing
   * is left, whatever fails meanwhile: otherwise the session's slot would be free beside its tree.
   *
   * @param kill tries once, and returns how many processes still live
   */
  void clear(IntSupplier kill) throws InterruptedException {
    for (int attempt = 1; !cleared(kill, attempt); attempt++) {
      Thread.sleep(AGAIN_MS);
    }
  }

  private boolean cleared(IntSupplier kill, int attempt) {
    try {
      int left = kill.getAsInt();
      if (left > 0) {
        unkillable(new KillReport(List.of("KILL"), left, 0, 0));
        return false;
      }
      gone();
      return true;
    } catch (RuntimeException | Error e) {
      if (attempt <= MOST_UNVERIFIED) {
        log.warn("a tree cannot be ended yet: session={}", session.id(), e);
      } else {
        // How many live is unknown; at least one has to be assumed.
        unkillable(new KillReport(List.of("KILL"), 1, 0, 0));
      }
      return false;
    }
  }

  private void gone() {
    if (trees().gone(session.id())) {
      log.warn("the last process of an unkillable tree ended: session={}", session.id());
      all.say(session, EventType.SESSION_ORPHAN_REAPED, EventData.EMPTY.with(Field.SURVIVORS, 0));
    }
  }

  private void unkillable(KillReport left) {
    if (trees().unkillable(session.id(), left.survivors(), System.nanoTime())) {
      log.error(
          "processes cannot be ended: session={} survivors={} steps={}",
          session.id(),
          left.survivors(),
          left.steps());
      all.say(
          session,
          EventType.SESSION_KILLED,
          EventData.EMPTY
              .with(Field.REASON, "unkillable: processes live on after the last step")
              .with(Field.KILL_STEPS, left.steps())
              .with(Field.SURVIVORS, left.survivors()));
    }
  }

  private LiveTrees trees() {
    return all.launcher().trees();
  }
}
