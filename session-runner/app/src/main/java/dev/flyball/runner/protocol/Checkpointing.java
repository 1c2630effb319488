package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.CheckpointParts;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes checkpoints, and decides how far the log may be cut after one. A part is sent once the
 * part before it was read. So renewals never wait behind more than one part, and a checkpoint with
 * a lost part is never finished.
 *
 * <p>Runners take turns, by {@link RunnerCount#rank}, and of two that begin at the same time the
 * one continues whose first part comes first in the log. Every runner reads every checkpoint, so
 * what a second one costs grows with sessions and runners.
 */
final class Checkpointing {
  /** Fewest entries between two checkpoints: a reader replays at most about this many. */
  static final long EVERY = 1_000;

  /** Cutting asks the broker several questions; records are kept for a week, so it may wait. */
  private static final long CUT_EVERY = Duration.ofHours(1).toNanos();

  private final LeaseNanos nanos;
  private final RunnerCount runners;
  private final Supplier<String> ids;
  private final CheckpointParts.Progress progress = new CheckpointParts.Progress();
  private @Nullable CheckpointParts writing;
  private @Nullable CheckpointPart sent;
  private long sentAt;

  /** Whether a part of the one that is written was read. */
  private boolean begun;

  /** When it is this runner's turn; the maximum if that is not drawn. */
  private long turnAt = Long.MAX_VALUE;

  /** No checkpoint begins before, because another one may be written. */
  private long quietUntil = Long.MIN_VALUE;

  private long newest = -1;
  private long nextCut = Long.MIN_VALUE;

  Checkpointing(LeaseNanos nanos, RunnerCount runners, Supplier<String> ids) {
    this.nanos = nanos;
    this.runners = runners;
    this.ids = ids;
  }

  /** A part of any runner's checkpoint was read; the step cuts the log, if it is to be cut. */
  Optional<Step> read(LedgerEntry.Checkpoint checkpoint, Instant appendTime, long now) {
    CheckpointPart part = checkpoint.part();
    boolean own = part != null && part.equals(sent);
    if (own) {
      sent = null;
      begun = true;
    } else {
      // Another runner writes a checkpoint: wait until it must be finished.
      pause(now);
      if (!begun) {
        writing = null;
        sent = null;
      }
    }
    if (!progress.completes(checkpoint)) {
      return Optional.empty();
    }
    long before = newest;
    newest = Math.max(newest, checkpoint.at());
    if (!own || before < 0 || now < nextCut) {
      return Optional.empty();
    }
    nextCut = now + CUT_EVERY;
    return Optional.of(new Step.Cut(before + 1, appendTime));
  }

  void due(LedgerState ledger, String self, long now, List<Step> steps) {
    if (writing != null) {
      goOn(writing, now, steps);
      return;
    }
    long last = ledger.lastCheckpoint();
    if (ledger.offset() - last < every(ledger)) {
      turnAt = Long.MAX_VALUE;
      return;
    }
    if (turnAt == Long.MAX_VALUE) {
      int rank = runners.rank(now, "checkpoint after " + last, self, any -> true);
      turnAt = Math.max(now, quietUntil) + nanos.untilTurn(rank);
    }
    if (now >= turnAt) {
      writing = new CheckpointParts(ledger, ids.get());
      begun = false;
      goOn(writing, now, steps);
    }
  }

  long nextTick() {
    if (writing == null) {
      return turnAt;
    }
    return sent == null ? Long.MIN_VALUE : sentAt + patience() + 1;
  }

  private void goOn(CheckpointParts parts, long now, List<Step> steps) {
    if (sent == null && parts.hasNext()) {
      LedgerEntry.Checkpoint part = parts.next();
      sent = part.part();
      sentAt = now;
      steps.add(new Step.Append(part));
    } else if (sent == null || now - sentAt > patience()) {
      writing = null;
      sent = null;
      pause(now);
    }
  }

  /** A part that is not read within this time was lost. */
  private long patience() {
    return nanos.late + nanos.retry;
  }

  private void pause(long now) {
    quietUntil = now + nanos.retry;
    turnAt = Long.MAX_VALUE;
  }

  /**
   * How many entries lie between two checkpoints: more if the state is large. So writing a
   * checkpoint costs about a row for each entry, and reading it costs about as much as replaying
   * the entries since.
   */
  private static long every(LedgerState ledger) {
    return Math.max(EVERY, ledger.live() + ledger.unsettled());
  }
}
