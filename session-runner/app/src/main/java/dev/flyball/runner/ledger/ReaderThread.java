package dev.flyball.runner.ledger;

import dev.flyball.contract.text.OneLine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that reads until it is closed. Whatever ends its work, errors of the machine too, the
 * work begins again after a pause. Otherwise the runner would go on without it and appear healthy.
 */
final class ReaderThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReaderThread.class);
  private static final Duration AGAIN = Duration.ofMillis(500);

  private final String what;
  private final Work work;
  private final Thread thread;
  private volatile boolean closed;
  // Written by the thread, read by health.
  private volatile @Nullable String trouble;

  /** Reads until it is interrupted; it closes what it opens. */
  interface Work {
    void read() throws InterruptedException;
  }

  /**
   * Creates the thread without starting it.
   *
   * @param what is read, for log and health
   */
  ReaderThread(String name, String what, Work work) {
    this.what = what;
    this.work = work;
    this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Clears the trouble, because something was read. */
  void works() {
    trouble = null;
  }

  /** What is wrong now, one line; any thread. */
  Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  private void run() {
    while (!closed) {
      try {
        work.read();
      } catch (InterruptedException | InterruptException e) {
        log.debug("reader interrupted: topic={} interrupted={}", what, Thread.interrupted());
      } catch (RuntimeException | Error e) {
        if (trouble == null) {
          log.warn("topic cannot be read, trying again: topic={}", what, e);
        }
        trouble = what + " cannot be read: " + OneLine.first(e);
        LockSupport.parkNanos(AGAIN.toNanos());
      }
    }
  }
}
