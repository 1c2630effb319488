package dev.flyball.producer;

import dev.flyball.contract.command.Command;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.tracker.SourceConfig;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * All that belongs to one source while it is polled: its lease and cursor, its poller, its loop. A
 * change of its configuration makes a new object, which takes over lease and cursor and begins when
 * the running poll has ended.
 */
final class PolledSource {
  private final SourceConfig config;
  private final LeasedCursor cursor;
  private final LeaseRenewer renewer;
  private final SourcePoller poller;
  private final PollLoop loop;

  /** Whether poll-state was read by the object that polled this source before. */
  private final boolean readyBefore;

  /**
   * Runs the loop; null if this process does not poll by intervals. Written once, before other
   * threads see this object.
   */
  private @Nullable Thread thread;

  /** Open until the loop has ended. */
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Whether the source is no longer configured; written by {@link #remove}, read by its thread. */
  private volatile boolean removed;

  /** A source that this process did not poll before. */
  PolledSource(
      SourceConfig config,
      LeasedCursor cursor,
      LeaseRenewer renewer,
      SourcePoller poller,
      PollLoop loop) {
    this(config, cursor, renewer, poller, loop, false);
  }

  private PolledSource(
      SourceConfig config,
      LeasedCursor cursor,
      LeaseRenewer renewer,
      SourcePoller poller,
      PollLoop loop,
      boolean readyBefore) {
    this.config = config;
    this.cursor = cursor;
    this.renewer = renewer;
    this.poller = poller;
    this.loop = loop;
    this.readyBefore = readyBefore;
  }

  /**
   * The same source with a changed configuration. Lease and cursor stay; polls of the old and the
   * new object never overlap.
   */
  PolledSource changed(SourceConfig next, GuardedSource source, Snapshots snapshots) {
    SourcePoller otherwise = poller.with(source, snapshots);
    return new PolledSource(next, cursor, renewer, otherwise, loop.of(next, otherwise), ready());
  }

  /**
   * Polls at its interval from now on.
   *
   * @param before the object that polled the source until now and was stopped: polls of one source
   *     never overlap; null if there was none
   */
  void begin(@Nullable PolledSource before) {
    CountDownLatch turn = before == null ? new CountDownLatch(0) : before.ended;
    thread = Thread.ofVirtual().name("poll-" + key()).start(() -> live(turn));
  }

  private void live(CountDownLatch turn) {
    try {
      turn.await();
      // The poll that has just ended may have learnt of a pause that its tracker asks for.
      poller.learnTrouble();
      loop.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (removed) {
        giveBack();
      }
      ended.countDown();
    }
  }

  /** Polls now, for an operator; see {@link PollLoop#obey}. */
  void obey(Command.Poll command) {
    loop.obey(command);
  }

  /** Begins no further poll; one that runs ends by itself. */
  void stop() {
    loop.stop();
  }

  /** Begins no further poll, and gives the lease back as soon as nothing runs any more. */
  void remove() {
    removed = true;
    loop.stop();
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

  /** Whether its loop has ended or was never started. */
  boolean ended() {
    return thread == null || ended.getCount() == 0;
  }

  /** Whether poll-state was read. */
  boolean ready() {
    return thread == null || readyBefore || loop.ready();
  }

  String key() {
    return config.key();
  }

  LeaseRenewer renewer() {
    return renewer;
  }

  LeasedCursor cursor() {
    return cursor;
  }

  SourcePoller poller() {
    return poller;
  }
}
