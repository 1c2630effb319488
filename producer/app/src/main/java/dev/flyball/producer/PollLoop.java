package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.tracker.SourceConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls one source at its interval, in a separate thread. The interval counts from the last poll by
 * any producer, also after a restart: starting the producer does not trigger a poll.
 *
 * <p>A source that was never polled is due immediately. So is one whose list was read only in part,
 * as its committed cursor says, also after a restart. Each part is a separate poll, and before each
 * the loop checks the tracker's pauses, the lease and the backlog. While another producer holds the
 * lease, this loop only watches. An operator's command makes the source due now; everything else
 * that holds a poll back still does.
 */
final class PollLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PollLoop.class);
  private static final Duration RETRY = Duration.ofSeconds(5);
  private static final int MAX_DOUBLINGS = 3;

  private final SourceConfig config;
  private final SourcePoller poller;
  private final LeasedCursor cursor;
  private final PollReporter reporter;
  private final Due due;
  private final Backlog backlog;

  /** Operators' commands that are not obeyed yet. */
  private final BlockingQueue<Command.Poll> commands;

  /** Has a permit if a command or the stop ends the wait. */
  private final Semaphore woken = new Semaphore(0);

  private volatile boolean stopping;

  /** Whether poll-state was read at least once; written by this loop, read by health. */
  private volatile boolean ready;

  /** Polls that failed in a row; used by this loop only. */
  private int failures;

  /** Whether a due poll waits for a smaller backlog; used by this loop only. */
  private boolean waiting;

  /** When waiting items were last checked while polls waited; used by this loop only. */
  private Instant revisited = Instant.EPOCH;

  PollLoop(
      SourceConfig config,
      SourcePoller poller,
      LeasedCursor cursor,
      PollReporter reporter,
      Due due,
      Backlog backlog) {
    this(config, poller, cursor, reporter, due, backlog, new LinkedBlockingQueue<>());
  }

  private PollLoop(
      SourceConfig config,
      SourcePoller poller,
      LeasedCursor cursor,
      PollReporter reporter,
      Due due,
      Backlog backlog,
      BlockingQueue<Command.Poll> commands) {
    this.config = config;
    this.poller = poller;
    this.cursor = cursor;
    this.reporter = reporter;
    this.due = due;
    this.backlog = backlog;
    this.commands = commands;
  }

  /** A loop for the same source with a changed configuration; not running yet. */
  PollLoop of(SourceConfig other, SourcePoller otherwise) {
    return new PollLoop(other, otherwise, cursor, reporter, due, backlog, commands);
  }

  @Override
  public void run() {
    try {
      while (!stopping) {
        var _ = woken.tryAcquire(step().toNanos(), TimeUnit.NANOSECONDS);
        woken.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void stop() {
    stopping = true;
    woken.release();
  }

  /** Makes the source due now; it is answered by this loop, or by the one that continues it. */
  void obey(Command.Poll command) {
    commands.add(command);
    woken.release();
  }

  boolean ready() {
    return ready;
  }

  /** One check, and a poll if it is due; returns how long to wait until the next check. */
  private Duration step() {
    var given = new ArrayList<Command.Poll>();
    try {
      if (!cursor.held()) {
        cursor.look();
        poller.learnTrouble();
      }
      ready = true;
      commands.drainTo(given);
      if (!given.isEmpty()) {
        return commanded(given);
      }
      Duration wait = untilDue();
      if (wait.isPositive()) {
        return wait;
      }
      if (cursor.heldByAnother()) {
        return RETRY;
      }
      if (cursor.held() && poller.nothingNew()) {
        return config.interval();
      }
      if (mustWait()) {
        revisit();
        return RETRY;
      }
      return waitAfter(poller.poll());
    } catch (RuntimeException e) {
      LOG.warn(
          "source {}: {}; trying again in {}s", config.key(), e.getMessage(), RETRY.toSeconds());
      given.forEach(command ->
          reporter.answer(
              config.key(),
              PollAnswer.refused(command, cursor.polledAt(), String.valueOf(e.getMessage()))));
      return RETRY;
    } catch (Error e) {
      // A loop that has ended would look like a source without changes.
      LOG.error("source {}: trying again in {}s", config.key(), RETRY.toSeconds(), e);
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
    Optional<String> whyNot = poller.suspended().or(() -> backlog.whyNot(config.key()));
    if (whyNot.isPresent()) {
      given.forEach(command ->
          reporter.answer(config.key(), PollAnswer.refused(command, before, whyNot.get())));
      return Duration.ZERO;
    }
    PollReport report = poller.poll();
    given.forEach(command ->
        PollAnswer.of(command, before, report)
            .ifPresent(answer -> reporter.answer(config.key(), answer)));
    return waitAfter(report);
  }

  /**
   * Whether the backlog is too large for a poll. One poll stays pending meanwhile, however often it
   * falls due; the beginning and the end of the wait are reported once each.
   */
  private boolean mustWait() {
    Optional<String> reason = backlog.whyNot(config.key());
    reason.ifPresent(why -> reporter.waiting(config.key(), why));
    if (reason.isPresent() && !waiting) {
      poller.waits(reason.get());
    } else if (reason.isEmpty() && waiting) {
      LOG.info("source {}: polls go on", config.key());
    }
    waiting = reason.isPresent();
    return waiting;
  }

  /**
   * What closes shrinks the backlog, so a source whose polls wait still checks its waiting items
   * again, as often as it would poll.
   */
  private void revisit() {
    Instant now = reporter.now();
    if (Duration.between(revisited, now).abs().compareTo(config.interval()) >= 0) {
      revisited = now;
      poller.revisit();
    }
  }

  /**
   * How long to wait after a poll. A failing source is asked less often, at most 40 s apart unless
   * its interval is longer, because each failure is an event.
   */
  private Duration waitAfter(PollReport report) {
    return switch (report) {
      case PollReport.Finished finished -> {
        failures = 0;
        yield poller.goesOn() ? Duration.ZERO : config.interval();
      }
      case PollReport.Skipped skipped -> RETRY;
      case PollReport.Failed failed -> {
        Duration wait = RETRY.multipliedBy(1L << Math.min(failures++, MAX_DOUBLINGS));
        yield poller.goesOn() ? wait : longer(wait, config.interval());
      }
    };
  }

  private Duration untilDue() {
    Duration wait =
        poller.goesOn()
            ? Duration.ZERO
            : due.left(cursor.polledAt(), config.interval(), reporter.now());
    return longer(wait, poller.left());
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }
}
