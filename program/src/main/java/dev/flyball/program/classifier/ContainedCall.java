package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Launch;
import dev.flyball.runner.agent.Agent;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call: a process tree from before its start until nothing of it lives. A deadman outside this
 * JVM ends the tree too, so it outlives neither its limit nor Flyball.
 */
final class ContainedCall {
  private static final Logger log = LoggerFactory.getLogger(ContainedCall.class);
  private static final Duration VERIFY = Duration.ofSeconds(5);
  private static final Duration INTERRUPT = Duration.ofSeconds(2);

  /** How long a program may take to exit after its result. */
  private static final Duration EXIT = Duration.ofSeconds(5);

  private static final Duration TERMINATE = Duration.ofSeconds(1);

  /** How much later than the limit the deadman ends a tree: the kill ladder comes first. */
  private static final Duration LADDER = Duration.ofSeconds(5);

  private final CallHost host;
  private final Agent agent;
  private final Duration limit;
  private final long mostBytes;
  private final CompletableFuture<Void> stopped;

  /**
   * A call of this agent.
   *
   * @param limit the longest that the program may run
   * @param mostBytes the most that it may print
   * @param stopped completes when Flyball stops, which ends the call
   */
  ContainedCall(
      CallHost host, Agent agent, Duration limit, long mostBytes, CompletableFuture<Void> stopped) {
    this.host = host;
    this.agent = agent;
    this.limit = limit;
    this.mostBytes = mostBytes;
    this.stopped = stopped;
  }

  /** Why Flyball ended a program, if it did. */
  enum Cut {
    /** The program ended by itself. */
    NONE,
    /** It ran for too long. */
    TIME,
    /** It printed too much. */
    OUTPUT,
    /** Flyball stops. */
    STOP
  }

  /**
   * What a call came to.
   *
   * @param reported whether the program reported a result, an error too
   * @param used tokens and micro-dollars, as far as the program reported them
   * @param spend how far it reported what it used
   */
  record Ended(
      Cut cut,
      AgentAnswer answer,
      boolean reported,
      AgentSignal.Usage used,
      AgentReader.Reported spend) {}

  /**
   * Runs the program; blocks until nothing of it lives.
   *
   * @throws IOException if it was not started
   * @throws InterruptedException if this thread was interrupted; nothing of the program lives
   */
  Ended run(Launch launch) throws IOException, InterruptedException {
    String call = launch.session();
    host.opened(call);
    ContainedProcess process = started(launch);
    var output = new CallOutput(agent.reader(), mostBytes);
    try {
      host.started(call, process.identity());
      output.drain(process);
      Cut cut = awaited(process, output);
      var _ = process.kill(cut == Cut.TIME ? ladder() : KillLadder.now(VERIFY));
      output.join();
      AgentAnswer answer = cut == Cut.NONE ? output.end(exit(process)) : output.soFar();
      return new Ended(cut, answer, output.answered().isDone(), output.used(), output.spend());
    } finally {
      cleared(call, process.kill(KillLadder.now(VERIFY)).survivors());
      // Else an interrupted call keeps two threads while a process outside it holds its pipes open.
      output.close();
    }
  }

  private ContainedProcess started(Launch launch) throws IOException {
    try {
      return host.containment().start(launch, limit.plus(LADDER));
    } catch (IOException e) {
      host.ended(launch.session());
      throw e;
    } catch (RuntimeException | Error e) {
      cleared(launch.session(), host.containment().cleared(launch.session(), VERIFY));
      throw e;
    }
  }

  private Cut awaited(ContainedProcess process, CallOutput output) throws InterruptedException {
    if (!within(limit, process.onExit(), output.full(), output.answered(), stopped)) {
      return Cut.TIME;
    } else if (stopped.isDone()) {
      return Cut.STOP;
    } else if (output.full().isDone()) {
      return Cut.OUTPUT;
    }
    return within(EXIT, process.onExit()) ? Cut.NONE : Cut.TIME;
  }

  private static boolean within(Duration time, CompletableFuture<?>... any)
      throws InterruptedException {
    try {
      var _ = CompletableFuture.anyOf(any).get(time.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** INT lets an agent that ends its turn by it report what was spent. */
  private KillLadder ladder() {
    Duration interrupt = agent.is(Agent.Trait.ENDS_TURN_ON_INTERRUPT) ? INTERRUPT : Duration.ZERO;
    return new KillLadder(interrupt, TERMINATE, VERIFY);
  }

  private static Exit exit(ContainedProcess process) throws InterruptedException {
    try {
      return process.onExit().get(VERIFY.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return Exit.of(137);
    }
  }

  private void cleared(String call, int survivors) {
    if (survivors > 0) {
      log.error(
          "processes of a triage call cannot be ended: call={} survivors={}", call, survivors);
      return;
    }
    try {
      host.ended(call);
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("row of a triage call not removed: call={} cause={}", call, e.getMessage());
    }
  }

  /**
   * Reads both streams of a call's program, each on a separate thread, for as long as a process may
   * write: an undrained stream blocks the program. What was read is guarded by this object's
   * monitor.
   */
  static final class CallOutput {
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
     * Waits for the ends of the streams, two seconds at most: a process outside the call may hold
     * one open.
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
      threads.add(
          Thread.ofPlatform().daemon().name(name).start(() -> lines(new Counted(in), taker)));
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
}
