package dev.flyball.producer;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.history.LocalCopy;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.producer.publish.PollOutput;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls one source, one poll at a time: reads it, determines what changed, commits that with the
 * cursor, and records it. A second poll meanwhile is skipped. A poll keeps the configuration that
 * it began with.
 */
final class SourcePoller {
  private static final Logger LOG = LoggerFactory.getLogger(SourcePoller.class);
  static final String IN_PROGRESS = "already in progress";

  private final String key;
  private final GuardedSource source;
  private final Snapshots snapshots;
  private final LeasedCursor cursor;
  private final PollHistory history;
  private final PollReporter reporter;
  private final PublishedBefore memory;
  private final Revisits revisits;
  private final AtomicBoolean inProgress;

  SourcePoller(
      GuardedSource source,
      Snapshots snapshots,
      LeasedCursor cursor,
      PollHistory history,
      OutstandingReader outstanding,
      PollReporter reporter) {
    this.key = cursor.source();
    this.source = source;
    this.snapshots = snapshots;
    this.cursor = cursor;
    this.history = history;
    this.reporter = reporter;
    this.memory = new PublishedBefore(key, cursor, history);
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
    this.memory = before.memory;
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
      return reporter.skipped(key, poll, start, new NotPolled.Passing(IN_PROGRESS));
    }
    try {
      Optional<NotPolled> whyNot = take().or(() -> source.whyNot().map(NotPolled.Lasting::new));
      return whyNot.isPresent()
          ? reporter.skipped(key, poll, start, whyNot.get())
          : pollHeld(poll, start);
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

  private PollReport pollHeld(String poll, Instant start) {
    reporter.started(key, poll, start);
    Optional<PollCursor> committed = PollCursor.parse(cursor.cursor());
    committed.ifPresent(before -> memory.takeOver(before, source));
    String at = committed.map(PollCursor::at).orElse(null);
    return switch (cursor.permission().during(() -> source.poll(at, cursor.permission()))) {
      case PollResult.Failed failed -> failed(poll, start, failed.failure());
      case PollResult.Read read -> publish(poll, start, read, again(read), committed);
    };
  }

  /**
   * Checks waiting items again. A lost poll lease or a failure here keeps what the poll itself has
   * read.
   */
  private Revisits.Look again(PollResult.Read read) {
    try {
      return cursor
          .permission()
          .during(
              () -> revisits.look(source, snapshots, read, cursor.permission(), reporter.now()));
    } catch (RequestPermission.PermissionLost e) {
      return Revisits.Look.NONE;
    }
  }

  private PollReport failed(String poll, Instant start, TrackerFailure failure) {
    if (source.breaker().counts()) {
      cursor.polled(reporter.now(), source.breaker().trouble());
    }
    return reporter.failed(key, poll, start, failure.category().label(), failure.reason());
  }

  private PollReport publish(
      String poll,
      Instant start,
      PollResult.Read asked,
      Revisits.Look again,
      Optional<PollCursor> committed) {
    PollResult.Read read = again.with(asked);
    Optional<PollCursor> same = committed.filter(before -> before.at().equals(read.cursor()));
    Optional<LocalCopy> copy = memory.of(read, committed);
    LocalCopy before = copy.orElse(LocalCopy.NOTHING).orElse(again.known());
    List<RawItem> items =
        source.horizon(read.cursor()).isEmpty()
            ? read.items()
            : ChangePlan.withoutOlder(read.items(), before.known());
    ChangePlan plan = ChangePlan.of(items, before.known(), snapshots);
    var output = new PollOutput(snapshotsOf(plan), newlyUnread(read, before.invalid()));

    boolean asCommitted =
        output.isEmpty()
            && same.filter(cursor -> cursor.version().equals(snapshots.version())).isPresent();
    if (asCommitted) {
      cursor.polled(reporter.now(), source.breaker().trouble());
    } else {
      var next = new PollCursor(read.cursor(), poll, snapshots.version());
      history.stage(
          key,
          next.toString(),
          new LocalCopy(changes(plan, before), PublishedBefore.digests(read)),
          copy.isEmpty());
      Optional<String> failure =
          cursor.commit(output, next, reporter.now(), source.breaker().trouble());
      if (failure.isPresent()) {
        return reporter.failed(key, poll, start, PollReporter.BROKER, failure.get());
      }
      history.promote(key);
    }
    revisits.done(again);
    return reporter.finished(
        start, report(poll, read, plan, output), output.unread().size(), again.failure());
  }

  private static List<PollOutput.Entry> snapshotsOf(ChangePlan plan) {
    var entries = new ArrayList<PollOutput.Entry>();
    for (ChangePlan.Publication publication : plan.publications()) {
      RawItem item = publication.item();
      entries.add(new PollOutput.Entry(item.key(), publication.snapshot(), item.digest()));
    }
    return entries;
  }

  /**
   * Unreadable lines that have no dead letter yet: a broken line that stays in the file is not
   * reported again with every edit around it.
   */
  private static List<PollResult.Unread> newlyUnread(PollResult.Read read, Set<String> reported) {
    var seen = new HashSet<>(reported);
    var unread = new ArrayList<PollResult.Unread>();
    for (PollResult.Unread line : read.invalid()) {
      if (seen.add(PublishedBefore.digest(line))) {
        unread.add(line);
      }
    }
    return unread;
  }

  private static Map<ItemKey, Known> changes(ChangePlan plan, LocalCopy before) {
    var changes = new HashMap<>(plan.known());
    changes
        .entrySet()
        .removeIf(entry -> entry.getValue().equals(before.known().get(entry.getKey())));
    return changes;
  }

  private PollReport.Finished report(
      String poll, PollResult.Read read, ChangePlan plan, PollOutput output) {
    var invalid =
        read.invalid().stream()
            .map(line -> new PollReport.InvalidLine(line.place(), line.line(), line.reason()))
            .toList();
    var published = output.snapshots().stream().map(SourcePoller::published).toList();
    return new PollReport.Finished(
        key,
        poll,
        read.lines(),
        plan.known().size(),
        plan.duplicates(),
        invalid,
        published,
        read.more());
  }

  private static PollReport.Published published(PollOutput.Entry entry) {
    Snapshot snapshot = entry.snapshot();
    return new PollReport.Published(
        entry.key(), snapshot.revision(), snapshot.fingerprint(), snapshot.newest());
  }
}
