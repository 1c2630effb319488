package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.CheckpointParts;
import dev.flyball.contract.ledger.CheckpointProgress;
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
 */
final class Checkpointing {
  /** Fewest entries between two checkpoints: a reader replays at most about this many. */
  static final long EVERY = 1_000;

  /**
   * Cutting asks the broker several questions, and records are kept for a week, so an hour's wait
   * does no harm.
   */
  private static final long CUT_EVERY = Duration.ofHours(1).toNanos();

  private final LeaseNanos nanos;
  private final RunnerCount runners;
  private final Supplier<String> ids;
  private final CheckpointProgress progress = new CheckpointProgress();
  private @Nullable CheckpointParts writing;
  private @Nullable CheckpointPart sent;
  private long sentAt;
  private long next = Long.MAX_VALUE;
  private long newest = -1;
  private long nextCut = Long.MIN_VALUE;

  Checkpointing(LeaseNanos nanos, RunnerCount runners, Supplier<String> ids) {
    this.nanos = nanos;
    this.runners = runners;
    this.ids = ids;
  }

  /**
   * Takes a part of any runner's checkpoint that was read. The returned step cuts the log, if it is
   * to be cut.
   */
  Optional<Step> read(LedgerEntry.Checkpoint checkpoint, Instant appendTime, long now) {
    CheckpointPart part = checkpoint.part();
    boolean own = part != null && part.equals(sent);
    if (own) {
      sent = null;
    } else {
      // Another runner writes a checkpoint: wait until it must be finished.
      next = pause(now);
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

  void due(LedgerState ledger, long now, List<Step> steps) {
    if (writing != null) {
      goOn(now, steps);
    } else if (ledger.offset() - ledger.lastCheckpoint() < every(ledger)) {
      next = Long.MAX_VALUE;
    } else if (next == Long.MAX_VALUE) {
      // The random wait lets one runner write the checkpoint while the others see it.
      next = now + runners.upTo(nanos.retry());
    } else if (now >= next) {
      writing = new CheckpointParts(ledger, ids.get());
      goOn(now, steps);
    }
  }

  long nextTick() {
    if (writing == null) {
      return next;
    }
    return sent == null ? Long.MIN_VALUE : sentAt + patience() + 1;
  }

  private void goOn(long now, List<Step> steps) {
    CheckpointParts parts = writing;
    if (parts != null && sent == null && parts.hasNext()) {
      LedgerEntry.Checkpoint part = parts.next();
      sent = part.part();
      sentAt = now;
      steps.add(new Step.Append(part));
    } else if (sent == null || now - sentAt > patience()) {
      writing = null;
      sent = null;
      next = pause(now);
    }
  }

  /** A part that is not read within this time was lost. */
  private long patience() {
    return nanos.late() + nanos.retry();
  }

  private long pause(long now) {
    return now + nanos.retry() + runners.upTo(nanos.retry());
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
