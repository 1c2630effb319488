package dev.flyball.runner.agent;

import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent had answered when it ended. It is bounded by construction: whatever an agent
 * writes, the result event and the release that carry it can be sent.
 */
public sealed interface AgentAnswer {

  /** The answer's text; partial if the agent did not reach its end, empty if there is none. */
  String text();

  /**
   * The agent answered.
   *
   * @param commit the repository's head that the agent read, if it reported one
   * @param model the model that answered, if it was reported
   * @param deserved whether the item deserved the session, as the agent says: true, false, unknown
   *     or null
   */
  record Complete(
      String text,
      List<Passage> files,
      @Nullable String commit,
      @Nullable String model,
      @Nullable String deserved)
      implements AgentAnswer {
    public Complete {
      text = AgentLine.bounded(text);
      files = AnswerSchema.bounded(files);
      commit = AgentLine.name(commit);
      model = AgentLine.name(model);
    }
  }

  /**
   * The agent did not answer.
   *
   * @param failure the failure's kind and code, for the retry policy
   * @param reason one line for a person: {@code no output}, {@code exit 3}, {@code killed by signal
   *     9} and the like, with the end of what it wrote to standard error
   * @param text what there is of an answer
   * @param refusal what the provider said, if the failure is its own
   */
  record Broken(Failure failure, String reason, String text, Refusal refusal)
      implements AgentAnswer {
    private static final int MAX_REASON = 1000;

    /** An end that no provider is to blame for. */
    public Broken(Failure failure, String reason, String text) {
      this(failure, reason, text, Refusal.UNKNOWN);
    }

    public Broken {
      reason = AgentLine.of(reason, MAX_REASON);
      text = AgentLine.bounded(text);
    }

    /** Whether it is a fault of the provider or of the runner, so that its item is not charged. */
    public boolean blamesOthers() {
      return failure.kind() == Kind.PROVIDER || failure.kind() == Kind.RUNNER;
    }

    /** Whether the provider's account is empty: no waiting helps. */
    public boolean accountExhausted() {
      return failure.code().equals(Fault.EXHAUSTED);
    }
  }
}
