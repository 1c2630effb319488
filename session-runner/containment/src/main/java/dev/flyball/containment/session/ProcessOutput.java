package dev.flyball.containment.session;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a process writes to one of its streams; it behaves as the stream of a process that the JDK
 * starts. A read on a virtual thread occupies none of the threads that run virtual threads: with as
 * many silent processes as processors, no virtual thread of this JVM would run any more. When the
 * process has exited, what it wrote is kept and the pipe is closed: another process that still
 * holds the other end neither keeps a reader waiting nor occupies a descriptor here.
 */
final class ProcessOutput extends InputStream {
  private final InputStream pipe;
  private final Executor readers;

  /** Held by a read, so also while one waits; guards {@link #in}. */
  private final ReentrantLock reading = new ReentrantLock();

  /** The pipe; after the process has exited, what was left in it. */
  private InputStream in;

  /**
   * The output of a process that runs.
   *
   * @param readers has a platform thread for each read of a virtual thread
   */
  ProcessOutput(InputStream pipe, Executor readers) {
    this.pipe = pipe;
    this.readers = readers;
    this.in = new BufferedInputStream(pipe);
  }

  @Override
  public int read() throws IOException {
    var one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    Objects.checkFromIndexSize(from, length, bytes.length);
    reading.lock();
    try {
      return Thread.currentThread().isVirtual() && in.available() == 0
          ? readElsewhere(in, bytes, from, length)
          : in.read(bytes, from, length);
    } finally {
      reading.unlock();
    }
  }

  private int readElsewhere(InputStream from, byte[] bytes, int offset, int length)
      throws IOException {
    var count = new CompletableFuture<Integer>();
    readers.execute(() -> {
      try {
        count.complete(from.read(bytes, offset, length));
      } catch (Throwable e) {
        count.completeExceptionally(e);
      }
    });
    try {
      // Not ended by an interrupt: what is read after it would be lost.
      return count.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case Error fault -> throw fault;
        case null -> throw e;
        case Throwable failed -> throw new IOException(failed.getMessage(), failed);
      }
    }
  }

  @Override
  public int available() throws IOException {
    reading.lock();
    try {
      return in.available();
    } finally {
      reading.unlock();
    }
  }

  /** Keeps what the process wrote, and closes the pipe. Waits for a read that waits. */
  void processExited() {
    reading.lock();
    try {
      in = new ByteArrayInputStream(in.readNBytes(in.available()));
      pipe.close();
    } catch (IOException e) {
      // It was closed before: a read reports that, as it does while the process runs.
    } finally {
      reading.unlock();
    }
  }

  /** Does not wait for a read that waits. */
  @Override
  public void close() throws IOException {
    pipe.close();
  }
}
