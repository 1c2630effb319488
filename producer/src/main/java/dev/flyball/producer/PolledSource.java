package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.lease.LeaseRenewer;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.tracker.RequestPermission;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source while it is polled: its lease and cursor, its configuration in force, and the loop
 * that polls it at its interval, in a separate thread. The interval counts from the last poll by
 * any producer, also after a restart: starting the producer does not trigger a poll. One {@link
 * Poll} runs at a time, under the poll lease, and not while the tracker wants no requests; a second
 * poll meanwhile is skipped.
 *
 * <p>A source that was never polled is due immediately. So is one whose list was read only in part,
 * as its committed cursor says, also after a restart. Each part is a separate poll, and before each
 * the loop checks the tracker's pauses, the lease and the backlog. While another producer holds the
 * lease, this loop only watches. An operator's command makes the source due now; everything else
 * that holds a poll back still does.
 */
final class PolledSource {
  static final String IN_PROGRESS = "already in progress";
  private static final Logger LOG = LoggerFactory.getLogger(PolledSource.class);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 3;

  /** Hints within this time after a poll are one: a tracker may send a thousand a second. */
  private static final Duration HINT_PAUSE = Duration.ofSeconds(1);

  private final String key;
  private final LeasedCursor cursor;
  private final LeaseRenewer renewer;
  private final KnownStore store;
  private final PollReporter reporter;
  private final Revisits revisits;
  private final Due due;
  private final Backlog backlog;

  /** The configuration in force; a poll ends with the one that it began with. */
  private volatile GuardedSource source;

  private final AtomicBoolean inProgress = new AtomicBoolean();

  private final BlockingQueue<Command.Poll> commands = new LinkedBlockingQueue<>();

  /** Whether its tracker said that something changed since the last poll began. */
  private final AtomicBoolean hinted = new AtomicBoolean();

  /** When the last poll for a hint ended, in elapsed nanoseconds; used by the loop only. */
  private long hintObeyed = System.nanoTime() - HINT_PAUSE.toNanos();

  /** Has a permit if a command, a hint, another configuration or the stop ends the wait. */
  private final Semaphore woken = new Semaphore(0);

  /** Runs the loop; null without polls by intervals. Written before other threads see this. */
  private @Nullable Thread thread;

  private final CountDownLatch ended = new CountDownLatch(1);

  private volatile boolean stopping;

  /** Whether the source is no longer configured; written by {@link #remove}, read by its thread. */
  private volatile boolean removed;

  /** Whether poll-state was read at least once; written by the loop, read by health. */
  private volatile boolean read;

  /** Polls that failed in a row; used by the loop only. */
  private int failures;

  /** Whether a due poll waits for a smaller backlog; used by the loop only. */
  private boolean waiting;

  /** When waiting items were last checked while polls waited; used by the loop only. */
  private Instant revisited = Instant.EPOCH;

  PolledSource(
      GuardedSource source,
      LeasedCursor cursor,
      LeaseRenewer renewer,
      KnownStore store,
      OutstandingReader outstanding,
      Due due,
      Backlog backlog) {
    this.key = source.key();
    this.source = source;
    this.cursor = cursor;
    this.renewer = renewer;
    this.store = store;
    this.reporter = source.reporter();
    this.revisits = new Revisits(key, outstanding);
    this.due = due;
    this.backlog = backlog;
  }

  String key() {
    return key;
  }

  LeaseRenewer renewer() {
    return renewer;
  }

  LeasedCursor cursor() {
    return cursor;
  }

  Breaker breaker() {
    return source.breaker();
  }

  /** Another configuration is in force from the next poll on. */
  void change(GuardedSource next) {
    source = next;
    woken.release();
  }

  /**
   * Polls at its interval from now on.
   *
   * @param before the object that polled this key until now and was removed: polls of one source
   *     never overlap; null if there was none
   */
  void begin(@Nullable PolledSource before) {
    CountDownLatch turn = before == null ? new CountDownLatch(0) : before.ended;
    thread = Thread.ofVirtual().name("poll-" + key).start(() -> live(turn));
  }

  private void live(CountDownLatch turn) {
    try {
      turn.await();
      while (!stopping) {
        var _ = woken.tryAcquire(step().toNanos(), TimeUnit.NANOSECONDS);
        woken.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (removed) {
        giveBack();
      }
      ended.countDown();
    }
  }

  /** Makes the source due now, for an operator; it is answered by the loop. */
  void obey(Command.Poll command) {
    commands.add(command);
    woken.release();
  }

  /** Makes the source due soon, as its tracker reports a change; false if another polls it. */
  boolean hint() {
    if (cursor.heldByAnother()) {
      return false;
    }
    if (hinted.compareAndSet(false, true)) {
      woken.release();
    }
    return true;
  }

  /** Begins no further poll; one that runs ends by itself. */
  void stop() {
    stopping = true;
    woken.release();
  }

  /** Begins no further poll, and gives the lease back as soon as nothing runs any more. */
  void remove() {
    removed = true;
    stop();
    if (thread == null) {
      giveBack();
    }
  }

  private void giveBack() {
    renewer.stop();
    cursor.close();
  }

  /** Waits until its loop has ended, at most for the limit. */
  void await(Duration limit) throws InterruptedException {
    if (thread != null) {
      thread.join(limit);
    }
  }

  boolean ended() {
    return thread == null || ended.getCount() == 0;
  }

  boolean ready() {
    return thread == null || read;
  }

  /** One check, and a poll if it is due; returns how long to wait until the next check. */
  private Duration step() {
    var given = new ArrayList<Command.Poll>();
    try {
      if (!cursor.held()) {
        cursor.look();
        learnTrouble();
      }
      read = true;
      commands.drainTo(given);
      if (!given.isEmpty()) {
        return commanded(given);
      }
      Duration interval = source.config().interval();
      Duration wait = untilDue(interval);
      if (wait.isPositive()) {
        return wait;
      }
      if (cursor.heldByAnother()) {
        hinted.set(false);
        return RETRY;
      }
      if (cursor.held() && nothingNew(source)) {
        return interval;
      }
      if (mustWait()) {
        revisitSometimes(interval);
        return RETRY;
      }
      // Before the poll: a hint during it may be about what it does not see.
      boolean asked = hinted.getAndSet(false);
      Duration next = waitAfter(poll());
      hintObeyed = asked ? System.nanoTime() : hintObeyed;
      return next;
    } catch (RuntimeException e) {
      LOG.warn("source {}: {}; trying again in {}s", key, e.getMessage(), RETRY.toSeconds());
      given.forEach(command ->
          reporter.answer(
              key, PollAnswer.refused(command, cursor.polledAt(), String.valueOf(e.getMessage()))));
      return RETRY;
    } catch (Error e) {
      // A loop that has ended would look like a source without changes.
      LOG.error("source {}: trying again in {}s", key, RETRY.toSeconds(), e);
      return RETRY;
    }
  }

  /**
   * Polls once for all commands that wait, unless the tracker wants no requests or the backlog is
   * full: a command must not wait for the end of a pause, when its operator may have changed their
   * mind. The lease's holder answers, so another producer does nothing.
   */
  private Duration commanded(List<Command.Poll> given) {
    if (cursor.heldByAnother()) {
      return Duration.ZERO;
    }
    Optional<Instant> before = cursor.polledAt();
    Optional<String> whyNot = breaker().suspended().or(() -> backlog.whyNot(key));
    if (whyNot.isPresent()) {
      given.forEach(
          command -> reporter.answer(key, PollAnswer.refused(command, before, whyNot.get())));
      return Duration.ZERO;
    }
    PollReport report = poll();
    given.forEach(command ->
        PollAnswer.of(command, before, report).ifPresent(answer -> reporter.answer(key, answer)));
    return waitAfter(report);
  }

  /**
   * Whether the backlog is too large for a poll. One poll stays pending meanwhile, however often it
   * falls due; the beginning and the end of the wait are reported once each.
   */
  private boolean mustWait() {
    Optional<String> reason = backlog.whyNot(key);
    reason.ifPresent(why -> reporter.waiting(key, why));
    if (reason.isPresent() && !waiting) {
      skipped(UUID.randomUUID().toString(), NotPolled.lasting(reason.get()));
    } else if (reason.isEmpty() && waiting) {
      LOG.info("source {}: polls go on", key);
    }
    waiting = reason.isPresent();
    return waiting;
  }

  /**
   * What closes shrinks the backlog, so a source whose polls wait still checks its waiting items
   * again, as often as it would poll.
   */
  private void revisitSometimes(Duration interval) {
    Instant now = reporter.now();
    if (Duration.between(revisited, now).abs().compareTo(interval) >= 0) {
      revisited = now;
      revisit();
    }
  }

  /**
   * How long to wait after a poll. A failing source is asked less often, at most 40 s apart unless
   * its interval is longer, because each failure is an event.
   */
  private Duration waitAfter(PollReport report) {
    Duration interval = source.config().interval();
    return switch (report) {
      case PollReport.Finished _ -> {
        failures = 0;
        yield goesOn() ? Duration.ZERO : interval;
      }
      case PollReport.Skipped _ -> RETRY;
      case PollReport.Failed _ -> {
        Duration wait = RETRY.multipliedBy(1L << Math.min(failures++, MAX_DOUBLINGS));
        yield goesOn() ? wait : Collections.max(List.of(wait, interval));
      }
    };
  }

  private Duration untilDue(Duration interval) {
    Duration wait =
        goesOn() ? Duration.ZERO : due.left(cursor.polledAt(), interval, reporter.now());
    if (hinted.get()) {
      Duration rest = HINT_PAUSE.minusNanos(System.nanoTime() - hintObeyed);
      wait = Collections.min(List.of(wait, rest));
    }
    return Collections.max(List.of(wait, breaker().left()));
  }

  PollReport poll() {
    GuardedSource by = source;
    Instant start = reporter.now();
    String id = UUID.randomUUID().toString();
    if (!inProgress.compareAndSet(false, true)) {
      return skipped(id, new NotPolled(IN_PROGRESS, true, true));
    }
    try {
      Optional<NotPolled> whyNot = take().or(() -> by.whyNot().map(NotPolled::lasting));
      return whyNot.isPresent()
          ? skipped(id, whyNot.get())
          : new Poll(by, cursor, store, revisits, committed(), id, start).run();
    } catch (RequestPermission.PermissionLost e) {
      return skipped(id, NotPolled.passing(String.valueOf(e.getMessage())));
    } catch (KafkaException e) {
      LOG.debug("poll of {} skipped", key, e);
      return skipped(id, NotPolled.of(e));
    } catch (RuntimeException e) {
      LOG.debug("poll of {} failed", key, e);
      return reporter.failed(key, id, PollReporter.INTERNAL, String.valueOf(e.getMessage()));
    } finally {
      inProgress.set(false);
    }
  }

  private PollReport skipped(String id, NotPolled whyNot) {
    return reporter.skipped(key, id, whyNot);
  }

  /**
   * Checks waiting items again although no poll may begin, and publishes what changed of them. What
   * hinders it is reported by the next poll.
   */
  private void revisit() {
    GuardedSource by = source;
    if (committed().isEmpty() || !inProgress.compareAndSet(false, true)) {
      return;
    }
    try {
      if (take().isEmpty() && by.whyNot().isEmpty()) {
        String id = UUID.randomUUID().toString();
        new Poll(by, cursor, store, revisits, committed(), id, reporter.now()).revisit();
      }
    } catch (RequestPermission.PermissionLost | KafkaException e) {
      LOG.debug("waiting items of {} are not checked", key, e);
    } finally {
      inProgress.set(false);
    }
  }

  /** Takes the lease, and what its last holder knew about the tracker; why not, or empty. */
  private Optional<NotPolled> take() {
    boolean held = cursor.held();
    Optional<NotPolled> whyNot = cursor.take();
    if (whyNot.isEmpty() && !held) {
      cursor.takenFrom().ifPresent(other -> reporter.tookOver(key, other));
      learnTrouble();
    }
    return whyNot;
  }

  /** Learns what poll-state records about the tracker and its last successful poll. */
  private void learnTrouble() {
    breaker().restore(cursor.trouble(), cursor.polledAt(), reporter.now());
    cursor.succeededAt().ifPresent(at -> reporter.succeeded(key, at));
  }

  /** What remains of the pause that the tracker asked for; empty if it asked for none. */
  Optional<Duration> pause() {
    Breaker breaker = breaker();
    Trouble known = breaker.trouble();
    return known == null || known.notBefore() == null || breaker.state() != Breaker.State.CLOSED
        ? Optional.empty()
        : Optional.of(breaker.left());
  }

  /** Whether the committed cursor is inside a list that was read only in part, by any producer. */
  private boolean goesOn() {
    return committed().filter(at -> source.source().goesOn(at.at())).isPresent();
  }

  private Optional<PollCursor> committed() {
    return PollCursor.parse(cursor.cursor());
  }

  /** Whether a poll would surely find nothing, which is cheap to check; it then counts as done. */
  private boolean nothingNew(GuardedSource by) {
    boolean same =
        committed()
            .filter(at -> at.version().equals(by.snapshots().version()))
            .filter(at -> by.source().unchangedSince(at.at()))
            .isPresent();
    if (same) {
      Instant now = reporter.now();
      cursor.polled(now, cursor.trouble());
      reporter.succeeded(key, now);
    }
    return same;
  }
}
