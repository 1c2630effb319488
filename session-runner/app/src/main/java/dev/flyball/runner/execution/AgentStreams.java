package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentOutput;
import dev.flyball.runner.agent.AgentReader;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.session.SessionInput;
import dev.flyball.runner.session.SessionLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The streams of a session's agent: what they say goes to the session and into its output. */
final class AgentStreams {
  private final AgentOutput output;
  private final OutputChunks chunks;

  /** Whether the agent reported the end of its turn; written by a stream's thread, read by any. */
  private volatile boolean turnEnded;

  AgentStreams(AgentReader reader, OutputChunks chunks) {
    this.output = new AgentOutput(reader, SessionLimits.MAX_LINE_BYTES);
    this.chunks = chunks;
  }

  void start(ContainedProcess process, LiveSession session) {
    output.drain(
        process,
        new AgentOutput.Listener() {
          @Override
          public boolean arrived(int bytes, boolean endsLine) {
            session.on(new SessionInput.Output(bytes, !endsLine));
            return true;
          }

          @Override
          public void out(String line, long bytes, List<AgentSignal> signals) {
            chunks.out(line, bytes);
            for (AgentSignal signal : signals) {
              turnEnded =
                  signal instanceof AgentSignal.Result
                      || (turnEnded && !(signal instanceof AgentSignal.Working));
            }
            boolean onlyWaits =
                !signals.isEmpty()
                    && signals.stream().allMatch(AgentSignal.Waiting.class::isInstance);
            session.on(new SessionInput.Line(false, !onlyWaits));
            signals.forEach(session::said);
          }

          // The quoted end is redacted first: half a secret would not be recognised any more.
          @Override
          public String err(String line, long bytes) {
            session.on(new SessionInput.Line(true, true));
            return chunks.err(line, bytes);
          }
        });
  }

  /** Why a stream is no longer read, else null; see {@link AgentOutput#fault}. */
  @Nullable Throwable fault() {
    return output.fault();
  }

  /** Waits for the ends of the streams; see {@link AgentOutput#join}. */
  void join() {
    output.join();
    chunks.flush();
  }

  /** Whether the agent ended its turn, so that its session can be resumed. */
  boolean turnEnded() {
    return turnEnded;
  }

  AgentAnswer end(Exit exit) {
    return output.end(exit);
  }

  /**
   * What it has answered, for a session that is ended from outside.
   *
   * @param silent whether it was ended because it had been silent for long
   */
  AgentAnswer soFar(boolean silent) {
    return output.soFar(silent);
  }

  /** How far the agent has reported what it used. */
  AgentReader.Reported reported() {
    return output.reported();
  }
}
