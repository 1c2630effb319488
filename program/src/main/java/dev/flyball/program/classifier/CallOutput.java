package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentReader;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.agent.LineReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Reads both streams of a call's program, each on a separate thread, for as long as a process may
 * write: an undrained stream blocks the program. What was read is guarded by this object's monitor.
 */
final class CallOutput {
  private static final int LONGEST_LINE = 4 << 20;
  private static final int STDERR_TAIL = 4096;
  private static final Duration JOIN = Duration.ofSeconds(2);

  private final AgentReader reader;
  private final CompletableFuture<Void> full = new CompletableFuture<>();
  private final CompletableFuture<Void> answered = new CompletableFuture<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<InputStream> open = new ArrayList<>();
  private final StringBuilder stderrTail = new StringBuilder();
  private long room;
  private AgentSignal.Usage used = AgentSignal.Usage.NONE;
  private boolean reported;

  /** Reads until {@code most} bytes were printed on both streams together. */
  CallOutput(AgentReader reader, long most) {
    this.reader = reader;
    this.room = most;
  }

  void drain(ContainedProcess process) {
    drain("call-out", process.out(), this::out);
    drain("call-err", process.err(), this::err);
  }

  /** Completes when the program has reported its result; it may still take time to exit. */
  CompletableFuture<Void> answered() {
    return answered;
  }

  /** Completes when the program has printed more than it may. */
  CompletableFuture<Void> full() {
    return full;
  }

  /**
   * Waits for the ends of the streams, two seconds at most: a process outside the call may hold one
   * open.
   */
  void join() throws InterruptedException {
    long end = System.nanoTime() + JOIN.toNanos();
    for (Thread thread : threads) {
      thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
    }
  }

  /** Ends reading, without waiting for it. */
  void close() {
    // Closing may wait for a reader that is blocked in the same stream.
    open.forEach(in -> Thread.ofVirtual().start(() -> close(in)));
  }

  /** The answer of a program that ended by itself. */
  synchronized AgentAnswer end(Exit exit) {
    return reader.end(exit, stderrTail.toString());
  }

  /** The answer of a program that was ended. */
  synchronized AgentAnswer soFar() {
    return reader.soFar();
  }

  synchronized AgentSignal.Usage used() {
    return used;
  }

  /** How far the program has reported what it used. */
  synchronized AgentReader.Reported spend() {
    return reader.reported();
  }

  private void drain(String name, InputStream in, Consumer<String> taker) {
    open.add(in);
    threads.add(Thread.ofPlatform().daemon().name(name).start(() -> lines(new Counted(in), taker)));
  }

  private static void lines(InputStream in, Consumer<String> taker) {
    var lines = new LineReader(in, LONGEST_LINE);
    try {
      for (String line = lines.next(); line != null; line = lines.next()) {
        taker.accept(line);
      }
    } catch (IOException e) {
      // Closed, or printed too much: the tree is dead, or ends now.
    }
  }

  private synchronized void out(String line) {
    for (AgentSignal signal : reader.line(line)) {
      switch (signal) {
        case AgentSignal.Usage total -> used = total;
        case AgentSignal.Waiting waiting -> {}
        case AgentSignal.Working working -> {}
        case AgentSignal.Identified identified -> {}
        case AgentSignal.ToolRunning running -> {}
        case AgentSignal.Result result -> reported = true;
      }
    }
    if (reported) {
      // Only now: the usage follows the result in one line.
      answered.complete(null);
    }
  }

  private synchronized void err(String line) {
    stderrTail.append(line, Math.max(0, line.length() - STDERR_TAIL), line.length()).append('\n');
    if (stderrTail.length() > STDERR_TAIL) {
      stderrTail.delete(0, stderrTail.length() - STDERR_TAIL);
    }
  }

  private synchronized boolean taken(int bytes) {
    room -= Math.max(0, bytes);
    return room >= 0;
  }

  private static void close(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // Nothing is lost: everything that could be read was read.
    }
  }

  /** Counts bytes as they arrive, so that output without line ends is bounded too. */
  private final class Counted extends FilterInputStream {
    Counted(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = in.read(bytes, from, length);
      if (!taken(count)) {
        full.complete(null);
        // Read on and dropped: a program that blocks in a write could not end its turn.
        in.transferTo(OutputStream.nullOutputStream());
        return -1;
      }
      return count;
    }
  }
}
