package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentOutput;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.runner.session.SessionMachine;
import dev.flyball.runner.session.SessionMachine.Step;
import dev.flyball.runner.session.Vitals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A running agent: owns its machine, feeds it from the streams and the clock, and hands its
 * decisions to the session's thread. Inputs come from several threads and are taken one at a time;
 * none of them waits.
 */
public final class LiveSession implements AgentOutput.Listener {
  private final ContainedProcess process;
  private final AgentOutput output;
  private final LinkedBlockingQueue<Step> steps = new LinkedBlockingQueue<>();
  private final Duration sampleEvery;
  private final OutputChunks chunks;

  /** What the agent does, not redacted; written by the streams' threads, read by any. */
  private volatile String doing = "";

  /** Whether the agent reported the end of its turn; written by a stream's thread, read by any. */
  private volatile boolean turnEnded;

  // Guarded by this.
  private final SessionMachine machine;
  private long sampledMs;

  /**
   * An agent that was started.
   *
   * @param before what the sessions used that it goes on with
   * @param sampleEvery how often its tree is counted
   * @param chunks takes its lines; what it quotes of them has no secrets
   */
  public LiveSession(
      ContainedProcess process,
      Agent agent,
      TokenCount before,
      SessionLimits limits,
      Duration sampleEvery,
      OutputChunks chunks) {
    this.process = process;
    this.machine = new SessionMachine(limits, agent.is(Agent.Trait.IDENTIFIED_AT_SPAWN), nowMs());
    this.output = new AgentOutput(agent, before);
    this.chunks = chunks;
    this.sampleEvery = sampleEvery;
    this.sampledMs = nowMs();
  }

  /** Begins to read, and to listen for the agent's end. */
  public void begin() {
    output.drain(process, this);
    var _ = process.onExit().thenAccept(exit -> decide(SessionMachine::exited));
  }

  /** The identity of the outermost process. */
  public ContainedProcess.Identity identity() {
    return process.identity();
  }

  /** The session's vitals as known now. */
  public synchronized Vitals vitals() {
    return machine.vitals();
  }

  /** What the agent does: its newest tool, or its newest line of text; not redacted. */
  String doing() {
    return doing;
  }

  /** Why the session ends; null while it does not end. */
  public synchronized @Nullable End cause() {
    return machine.cause();
  }

  /** Passes an input to the machine and queues its decisions for the session's thread. */
  private synchronized void decide(Function<SessionMachine, List<Step>> input) {
    steps.addAll(input.apply(machine));
  }

  /** Ends the session. A lease fence does not wait for its thread, perhaps on a gentle ladder. */
  public void stop(End cause) {
    decide(it -> it.end(cause));
    if (cause.atOnce()) {
      Thread.ofPlatform()
          .daemon()
          .name("fence-" + identity().pid())
          .start(() -> process.kill(SessionRun.NOW));
    }
  }

  /** Moves the deadman's deadline; false if the deadman could not be reached. */
  boolean extendTo(Duration sinceBoot) {
    return process.extendTo(sinceBoot);
  }

  /**
   * Waits for the next step. Null if none came within half a second or by the next due time; this
   * then counts the tree and sends gathered output.
   */
  public @Nullable Step next() throws InterruptedException {
    long wait;
    synchronized (this) {
      wait = Math.min(machine.nextMs(), sampledMs + sampleEvery.toMillis()) - nowMs();
    }
    Step step = steps.poll(Math.clamp(wait, 0, 500), TimeUnit.MILLISECONDS);
    if (step == null) {
      chunks.flush();
      sample();
      Throwable fault = output.fault();
      decide(it ->
          fault == null
              ? it.tick(nowMs())
              : it.end(End.of(End.Cause.BROKEN, SessionRun.ERROR + fault)));
    }
    return step;
  }

  private void sample() {
    long now = nowMs();
    synchronized (this) {
      if (now < sampledMs + sampleEvery.toMillis()) {
        return;
      }
      sampledMs = now;
    }
    ContainedProcess.Sample sample = process.sample(sampleEvery);
    decide(it -> it.counted(sample.processes(), sample.memoryBytes(), nowMs()));
  }

  /** Tries to end the tree. */
  public KillReport kill(KillLadder ladder) {
    return process.kill(ladder);
  }

  /** How the agent itself ended; call it once its tree is dead. */
  public Exit exit() {
    return process.onExit().completeOnTimeout(new Exit(-1, 9), 2, TimeUnit.SECONDS).join();
  }

  /** The agent's answer, after all output was read. */
  public AgentAnswer answer(End cause, Exit exit) {
    join();
    return cause.by(End.Cause.EXITED) ? output.end(exit) : output.soFar(cause.silent());
  }

  /** Waits shortly for all output, also while a process outside the tree holds a stream open. */
  public void join() {
    output.join();
    chunks.flush();
  }

  /** How far the agent reported what it used; call it after {@link #answer}. */
  public Agent.Reported reported() {
    return output.reported();
  }

  /** What the agent said of itself that is still to be reported; call it after {@link #answer}. */
  List<AgentSignal.Identified> introductions() {
    var left = new ArrayList<Step>();
    steps.drainTo(left);
    return left.stream()
        .filter(Step.Identified.class::isInstance)
        .map(each -> ((Step.Identified) each).as())
        .toList();
  }

  /** Whether the agent ended its turn; call it after {@link #answer}. */
  public boolean turnEnded() {
    return turnEnded;
  }

  @Override
  public void arrived(int bytes, boolean endsLine) {
    decide(it -> it.output(bytes, !endsLine, nowMs()));
  }

  @Override
  public void out(String line, long bytes, List<AgentSignal> signals) {
    chunks.out(line, bytes);
    says(line);
    for (AgentSignal signal : signals) {
      doing = signal instanceof AgentSignal.Doing(String what) ? what : doing;
      turnEnded =
          signal instanceof AgentSignal.Result
              || (turnEnded && !(signal instanceof AgentSignal.Working));
    }
    boolean onlyWaits =
        !signals.isEmpty() && signals.stream().allMatch(AgentSignal.Waiting.class::isInstance);
    decide(it -> it.line(false, !onlyWaits, nowMs()));
    signals.forEach(signal -> decide(it -> it.said(signal, nowMs())));
  }

  // The quoted end is redacted first: half a secret would not be recognised any more.
  @Override
  public String err(String line, long bytes) {
    decide(it -> it.line(true, true, nowMs()));
    says(line);
    return chunks.err(line, bytes);
  }

  /** Objects of JSON are for programs: what they mean for a person comes as a signal. */
  private void says(String line) {
    if (!line.isBlank() && !line.startsWith("{")) {
      doing = OneLine.start(line, AgentSignal.LONGEST_DOING);
    }
  }

  private static long nowMs() {
    return System.nanoTime() / 1_000_000;
  }
}
