package dev.flyball.producer;

import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.tracker.RequestPermission;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether one source is polled now: one {@link Poll} at a time, under the poll lease, and
 * not while its tracker wants no requests. A second poll meanwhile is skipped.
 */
final class SourcePoller {
  private static final Logger LOG = LoggerFactory.getLogger(SourcePoller.class);
  static final String IN_PROGRESS = "already in progress";

  // What a poll of this source works with.
  final String key;
  final GuardedSource source;
  final Snapshots snapshots;
  final LeasedCursor cursor;
  final PollHistory history;
  final PollReporter reporter;
  final Revisits revisits;
  private final AtomicBoolean inProgress;

  SourcePoller(
      GuardedSource source,
      Snapshots snapshots,
      LeasedCursor cursor,
      PollHistory history,
      OutstandingReader outstanding,
      PollReporter reporter) {
    this.key = source.key();
    this.source = source;
    this.snapshots = snapshots;
    this.cursor = cursor;
    this.history = history;
    this.reporter = reporter;
    this.revisits = new Revisits(key, outstanding, history);
    this.inProgress = new AtomicBoolean();
  }

  private SourcePoller(SourcePoller before, GuardedSource source, Snapshots snapshots) {
    this.key = before.key;
    this.source = source;
    this.snapshots = snapshots;
    this.cursor = before.cursor;
    this.history = before.history;
    this.reporter = before.reporter;
    this.revisits = before.revisits;
    this.inProgress = before.inProgress;
  }

  /**
   * The same source with a changed configuration. The old and the new poller together run one poll
   * at a time, and the breaker's state is kept.
   */
  SourcePoller with(GuardedSource other, Snapshots otherwise) {
    Breaker breaker = source.breaker();
    other.breaker().restore(breaker.trouble(), cursor.polledAt(), reporter.now());
    return new SourcePoller(this, other, otherwise);
  }

  /** Polls now; returns a report in every case. */
  PollReport poll() {
    Instant start = reporter.now();
    String poll = UUID.randomUUID().toString();
    if (!inProgress.compareAndSet(false, true)) {
      return reporter.skipped(key, poll, start, new NotPolled.Elsewhere(IN_PROGRESS, true));
    }
    try {
      Optional<NotPolled> whyNot = take().or(() -> source.whyNot().map(NotPolled.Lasting::new));
      return whyNot.isPresent()
          ? reporter.skipped(key, poll, start, whyNot.get())
          : new Poll(this, poll, start).run();
    } catch (RequestPermission.PermissionLost e) {
      return reporter.skipped(
          key, poll, start, new NotPolled.Passing(String.valueOf(e.getMessage())));
    } catch (KafkaException e) {
      LOG.debug("poll of {} skipped", key, e);
      return reporter.skipped(key, poll, start, NotPolled.of(e));
    } catch (RuntimeException e) {
      LOG.debug("poll of {} failed", key, e);
      return reporter.failed(
          key, poll, start, PollReporter.INTERNAL, String.valueOf(e.getMessage()));
    } finally {
      inProgress.set(false);
    }
  }

  /**
   * Checks waiting items again although no poll may begin, and publishes what changed of them. What
   * hinders it is reported by the next poll.
   */
  void revisit() {
    if (PollCursor.parse(cursor.cursor()).isEmpty() || !inProgress.compareAndSet(false, true)) {
      return;
    }
    try {
      Optional<NotPolled> whyNot = take().or(() -> source.whyNot().map(NotPolled.Lasting::new));
      if (whyNot.isEmpty()) {
        new Poll(this, UUID.randomUUID().toString(), reporter.now()).revisit();
      }
    } catch (RequestPermission.PermissionLost | KafkaException e) {
      LOG.debug("waiting items of {} are not checked", key, e);
    } finally {
      inProgress.set(false);
    }
  }

  /**
   * Takes the lease, and with it what its last holder recorded about the tracker; returns why not,
   * or empty.
   */
  private Optional<NotPolled> take() {
    boolean held = cursor.held();
    Optional<NotPolled> whyNot = cursor.take();
    if (whyNot.isEmpty() && !held) {
      cursor.takenFrom().ifPresent(other -> reporter.tookOver(key, other));
      learnTrouble();
    }
    return whyNot;
  }

  /** Restores the breaker from what poll-state records about the tracker. */
  void learnTrouble() {
    Optional<Instant> polledAt = cursor.polledAt();
    source.breaker().restore(cursor.trouble(), polledAt, reporter.now());
    if (cursor.trouble() == null) {
      polledAt.ifPresent(at -> reporter.succeeded(key, at));
    }
  }

  /** How long polls of the tracker must still pause; zero if they need not. */
  Duration left() {
    return source.breaker().left();
  }

  /** What remains of the pause that the tracker asked for; empty if it asked for none. */
  Optional<Duration> pause() {
    Breaker breaker = source.breaker();
    Trouble known = breaker.trouble();
    return known == null || known.notBefore() == null || breaker.state() != Breaker.State.CLOSED
        ? Optional.empty()
        : Optional.of(breaker.left());
  }

  /** Why polls of the tracker are paused now, one line; empty if they are not. */
  Optional<String> suspended() {
    return source.breaker().suspended();
  }

  /** Reports that a due poll waits; called once for each wait. */
  void waits(String reason) {
    var _ =
        reporter.skipped(
            key, UUID.randomUUID().toString(), reporter.now(), new NotPolled.Lasting(reason));
  }

  /** Whether the committed cursor is inside a list that was read only in part, by any producer. */
  boolean goesOn() {
    return PollCursor.parse(cursor.cursor())
        .filter(committed -> source.goesOn(committed.at()))
        .isPresent();
  }

  /** Whether a poll would surely find nothing, which is cheap to check; it then counts as done. */
  boolean nothingNew() {
    Optional<PollCursor> committed = PollCursor.parse(cursor.cursor());
    boolean same =
        committed.isPresent()
            && committed.get().version().equals(snapshots.version())
            && source.unchangedSince(committed.get().at());
    if (same) {
      Instant now = reporter.now();
      cursor.polled(now, cursor.trouble());
      reporter.succeeded(key, now);
    }
    return same;
  }
}
