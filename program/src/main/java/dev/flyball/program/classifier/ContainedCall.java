package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Launch;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentOutput;
import dev.flyball.runner.agent.AgentSignal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call: a process tree from before its start until nothing of it lives. A deadman outside this
 * JVM ends the tree too, so it outlives neither its limit nor Flyball.
 *
 * @param limit the longest that the program may run
 * @param mostBytes the most that it may print
 * @param stopped completes when Flyball stops, which ends the call
 */
record ContainedCall(
    CallHost host, Agent agent, Duration limit, long mostBytes, CompletableFuture<Void> stopped) {
  private static final Logger log = LoggerFactory.getLogger(ContainedCall.class);
  private static final Duration VERIFY = Duration.ofSeconds(5);
  private static final Duration INTERRUPT = Duration.ofSeconds(2);

  /** How long a program may take to exit after its result. */
  private static final Duration EXIT = Duration.ofSeconds(5);

  private static final Duration TERMINATE = Duration.ofSeconds(1);

  /** How much later than the limit the deadman ends a tree: the kill ladder comes first. */
  private static final Duration LADDER = Duration.ofSeconds(5);

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
      Agent.Reported spend) {}

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
    var output = new CallOutput(agent, mostBytes);
    try {
      host.journal().started(call, process.identity());
      output.streams.drain(process, output);
      Cut cut = awaited(process, output);
      var _ = process.kill(cut == Cut.TIME ? ladder() : KillLadder.now(VERIFY));
      output.streams.join();
      AgentAnswer answer =
          cut == Cut.NONE ? output.streams.end(exit(process)) : output.streams.soFar(false);
      return new Ended(
          cut, answer, output.answered.isDone(), output.used(), output.streams.reported());
    } finally {
      cleared(call, process.kill(KillLadder.now(VERIFY)).survivors());
      // Else an interrupted call keeps two threads while a process outside it holds its pipes open.
      output.streams.join();
    }
  }

  private ContainedProcess started(Launch launch) throws IOException {
    try {
      return host.containment().start(launch, limit.plus(LADDER));
    } catch (IOException e) {
      host.journal().forget(launch.session());
      throw e;
    } catch (RuntimeException | Error e) {
      cleared(launch.session(), host.containment().cleared(launch.session(), VERIFY));
      throw e;
    }
  }

  private Cut awaited(ContainedProcess process, CallOutput output) throws InterruptedException {
    if (!within(limit, process.onExit(), output.full, output.answered, stopped)) {
      return Cut.TIME;
    } else if (stopped.isDone()) {
      return Cut.STOP;
    } else if (output.full.isDone()) {
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
      host.journal().forget(call);
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("row of a triage call not removed: call={} cause={}", call, e.getMessage());
    }
  }

  /** What a call's program has said. What was read is guarded by this object's monitor. */
  private static final class CallOutput implements AgentOutput.Listener {
    private static final int LONGEST_LINE = 4 << 20;

    private final AgentOutput streams;

    /** Completes when the program has printed more than it may. */
    private final CompletableFuture<Void> full = new CompletableFuture<>();

    /** Completes when the program has reported its result; it may still take time to exit. */
    private final CompletableFuture<Void> answered = new CompletableFuture<>();

    private long room;
    private AgentSignal.Usage used = AgentSignal.Usage.NONE;

    /** Reads until {@code most} bytes were printed on both streams together. */
    CallOutput(Agent agent, long most) {
      this.streams = new AgentOutput(agent, TokenCount.NONE, LONGEST_LINE);
      this.room = most;
    }

    synchronized AgentSignal.Usage used() {
      return used;
    }

    @Override
    public synchronized boolean arrived(int bytes, boolean endsLine) {
      room -= bytes;
      if (room < 0) {
        full.complete(null);
      }
      return room >= 0;
    }

    @Override
    public synchronized void out(String line, long bytes, List<AgentSignal> signals) {
      for (AgentSignal signal : signals) {
        used = signal instanceof AgentSignal.Usage total ? total : used;
      }
      if (signals.stream().anyMatch(AgentSignal.Result.class::isInstance)) {
        // Only now: the usage follows the result in one line.
        answered.complete(null);
      }
    }

    @Override
    public String err(String line, long bytes, boolean waits) {
      return line;
    }
  }
}
