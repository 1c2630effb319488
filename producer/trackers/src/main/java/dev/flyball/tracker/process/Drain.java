package dev.flyball.tracker.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** Reads an output to its end, keeping only its beginning, so that the writer never blocks. */
final class Drain {
  /** The longest wait for the end, when no process should hold the output open any more. */
  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  private final InputStream in;
  private final int most;
  private final Runnable onOverflow;
  private final Thread reader;

  /** Written by the reading thread; read by the caller once that thread has ended. */
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  private volatile boolean overflowed;

  Drain(InputStream in, int most, Runnable onOverflow) {
    this.in = in;
    this.most = most;
    this.onOverflow = onOverflow;
    this.reader = Thread.ofVirtual().name("program-output").start(this::read);
  }

  private void read() {
    var buffer = new byte[8192];
    try {
      int read = in.read(buffer);
      while (read >= 0) {
        int room = Math.min(read, most - kept.size());
        kept.write(buffer, 0, room);
        if (room < read && !overflowed) {
          overflowed = true;
          onOverflow.run();
        }
        read = in.read(buffer);
      }
    } catch (IOException e) {
      // It was closed on our side, or ended in the middle of a write.
    }
  }

  /** Waits for the end of the output; returns whether it came. Nothing more is read afterwards. */
  boolean awaitEnd() throws InterruptedException {
    if (reader.join(END_LIMIT)) {
      return true;
    }
    try {
      in.close();
    } catch (IOException e) {
      // The output is given up anyway.
    }
    return false;
  }

  /** Whether the output was longer than what is kept. */
  boolean overflowed() {
    return overflowed;
  }

  /** What was kept; complete after {@link #awaitEnd}. */
  byte[] bytes() {
    return kept.toByteArray();
  }
}
