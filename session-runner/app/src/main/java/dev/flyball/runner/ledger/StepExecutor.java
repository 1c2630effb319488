package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Outcome;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.protocol.Step;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the participant's steps: appends entries, starts sessions, and passes on the steps
 * that concern them. Belongs to the ledger's thread, if not said otherwise.
 */
final class StepExecutor {
  private static final Logger log = LoggerFactory.getLogger(StepExecutor.class);

  /** Claims that were never appended are never read. Forgetting them only costs a short wait. */
  private static final int CLAIMS_KEPT = 64;

  private final RequestBoard board;
  private final LedgerLink ledger;
  private final RequestBodies bodies;
  private final Consumer<Session> starter;
  private final Consumer<LedgerEntry.Release> dead;
  private final Consumer<Step.Cut> cutter;
  private final Set<String> claiming = ConcurrentHashMap.newKeySet();
  private final Rejections rejections = new Rejections();
  private final List<Step> again = new ArrayList<>();

  /**
   * @param starter starts a session on a separate thread
   * @param dead takes the release of a session that could not be started
   * @param cutter cuts the log, in the background
   */
  StepExecutor(
      RequestBoard board,
      LedgerLink ledger,
      RequestBodies bodies,
      Consumer<Session> starter,
      Consumer<LedgerEntry.Release> dead,
      Consumer<Step.Cut> cutter) {
    this.board = board;
    this.ledger = ledger;
    this.bodies = bodies;
    this.starter = starter;
    this.dead = dead;
    this.cutter = cutter;
  }

  /** Appends that the broker rejects for good; any thread. */
  Rejections rejections() {
    return rejections;
  }

  /**
   * Takes a claim that was read, with or without effect. Its steps are done before the board is
   * updated. A session that is never started would hold its lease for ever, while the ledger gives
   * no effect to a second claim of a request that stays offered.
   */
  void answered(LedgerEntry.Claim claim, Optional<Lease> lease, List<Step> steps) {
    claiming.remove(claim.session());
    perform(steps);
    lease.ifPresent(board::claimed);
  }

  /** Whether every claim that this runner sent was read; any thread. */
  boolean nothingOnItsWay() {
    return claiming.isEmpty();
  }

  /**
   * Carries out all steps. A step that fails, for example because the machine has no thread for a
   * kill, keeps none of the others back. It is done again with the next steps.
   */
  void perform(List<Step> steps) {
    var all = new ArrayList<>(again);
    all.addAll(steps);
    again.clear();
    for (Step step : all) {
      try {
        perform(step);
      } catch (RuntimeException | Error e) {
        log.error("step failed, trying again: step={}", step.getClass().getSimpleName(), e);
        again.add(step);
      }
    }
  }

  private void perform(Step step) {
    switch (step) {
      case Step.Append append -> append(append.entry());
      case Step.Start start -> begin(start);
      case Step.Extend extend ->
          board.handle(extend.session()).ifPresent(each -> each.extend(extend.fence()));
      case Step.Kill kill ->
          board.handle(kill.session()).ifPresent(each -> each.stop(cause(kill.reason())));
      case Step.End end ->
          board
              .handle(end.session())
              .ifPresent(each -> each.stop(End.of(End.Cause.INTERRUPTED, end.reason())));
      case Step.Unstarted unstarted ->
          log.info(
              "session not started: session={} reason={}", unstarted.session(), unstarted.reason());
      case Step.Closed closed -> board.remove(closed.session()).ifPresent(Session::closed);
      case Step.Cut cut -> cutter.accept(cut);
      case Step.StopClaiming stop -> {
        log.error("this runner claims nothing: reason={}", stop.reason());
        board.refuse("stopped");
      }
      case Step.Warn warn -> log.warn("ledger: {}", warn.text());
    }
  }

  private void append(LedgerEntry entry) {
    if (entry instanceof LedgerEntry.Claim claim) {
      if (claiming.size() > CLAIMS_KEPT) {
        claiming.clear();
      }
      claiming.add(claim.session());
    }
    var _ = ledger.append(entry).whenComplete((_, failure) -> rejections.answered(entry, failure));
  }

  private static End cause(Step.Kill.Reason reason) {
    return switch (reason) {
      case FENCED -> End.FENCED;
      case LEASE_ENDED, LEDGER_UNUSABLE -> End.of(End.Cause.LOST, reason.label());
    };
  }

  private void begin(Step.Start start) {
    Lease lease = start.lease();
    Optional<RequestBoard.Candidate> found = board.offered(lease.session());
    if (found.isEmpty()) {
      dead.accept(notStarted(lease.session(), "its request is no longer known"));
      return;
    }
    Waiting waiting = found.get().waiting();
    var handle =
        new Session(
            lease,
            new Token(ledger.topicId(), lease.claimedAt()),
            waiting,
            () -> bodies.read(waiting),
            start.fence());
    board.add(handle);
    try {
      starter.accept(handle);
    } catch (RuntimeException | OutOfMemoryError e) {
      // The machine has no thread left: without one the session would be renewed for ever.
      log.error("session not started: session={}", lease.session(), e);
      dead.accept(
          notStarted(lease.session(), "the runner has no thread for it: " + e.getMessage()));
    }
  }

  private static LedgerEntry.Release notStarted(String session, String reason) {
    return new Step.Unstarted(session, Outcome.INTERRUPTED, reason).release();
  }

  /**
   * Entries that the broker rejects for good, however often they are sent, because they are not
   * allowed. The fold never shows them, so without this record they would be repeated silently.
   * Renewals that were not acknowledged, for whatever reason, are counted too. Written by the
   * ledger's thread and by its producer's thread; read by any.
   */
  static final class Rejections {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong renewals = new AtomicLong();
    private volatile @Nullable Refusal last;

    private record Refusal(String text, long atNanos) {}

    /**
     * Takes the outcome of an append. Only a rejection proves anything; the fold shows all else.
     */
    void answered(LedgerEntry entry, @Nullable Throwable failure) {
      if (failure == null) {
        return;
      }
      if (entry instanceof LedgerEntry.Renew) {
        renewals.incrementAndGet();
      }
      String kind = entry.getClass().getSimpleName();
      if (!ReplaceableProducer.refusesRecord(failure)) {
        log.debug("append not acknowledged: entry={} cause={}", kind, failure.toString());
        return;
      }
      int bytes = RecordJson.bytes(entry).length;
      count.incrementAndGet();
      last =
          new Refusal(kind + " of " + bytes + " bytes: " + failure.getMessage(), System.nanoTime());
      log.error(
          "ledger entry rejected: entry={} bytes={} reason={}", kind, bytes, failure.toString());
    }

    long count() {
      return count.get();
    }

    /** How many renewals were not acknowledged since this process started; a timeout is one too. */
    long failedRenewals() {
      return renewals.get();
    }

    /** The last rejection, while it is younger than this. */
    Optional<String> lately(Duration age) {
      Refusal refusal = last;
      return refusal == null || System.nanoTime() - refusal.atNanos() > age.toNanos()
          ? Optional.empty()
          : Optional.of(
              "ledger entry rejected, " + refusal.text() + "; see the log for the session it ends");
    }
  }
}
