package dev.flyball.ops.telemetry;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Writes to a client that may not read. The JDK's server has no limit for this, so such a client
 * would hold its answer in memory and its thread for as long as it likes. Any thread.
 */
final class BoundedWrite {
  /** The server keeps a buffer of twice the size of the largest write for each connection. */
  private static final int CHUNK = 16 * 1024;

  private static final ScheduledThreadPoolExecutor TIMER = timer();

  private BoundedWrite() {}

  /**
   * Writes all bytes.
   *
   * @param limit when the writing thread is interrupted, which closes the connection
   * @throws IOException if the client does not take them in time
   */
  static void write(OutputStream out, byte[] bytes, Duration limit) throws IOException {
    Thread writer = Thread.currentThread();
    var decided = new AtomicBoolean();
    Future<?> end =
        TIMER.schedule(
            () -> {
              if (decided.compareAndSet(false, true)) {
                writer.interrupt();
              }
            },
            limit.toMillis(),
            TimeUnit.MILLISECONDS);
    try {
      for (int from = 0; from < bytes.length; from += CHUNK) {
        out.write(bytes, from, Math.min(CHUNK, bytes.length - from));
      }
      // Closing waits for the rest of a request's body; the client need not.
      out.flush();
    } finally {
      end.cancel(false);
      if (!decided.compareAndSet(false, true)) {
        Thread.interrupted();
      }
    }
  }

  private static ScheduledThreadPoolExecutor timer() {
    var timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("http-write-limit").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }
}
