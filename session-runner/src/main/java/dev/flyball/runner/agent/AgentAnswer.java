package dev.flyball.runner.agent;

import dev.flyball.contract.session.Analysis.Passage;
import dev.flyball.contract.session.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent had to say when it was over. Bounded by construction: whatever an agent writes, the
 * result event and the release that are made of it can be sent.
 */
public sealed interface AgentAnswer {

  /** The answer's text; partial if the agent did not get to its end, empty if there is none. */
  String text();

  /**
   * It answered.
   *
   * @param commit the repository's head that it read, if it said so
   * @param model what answered, if it said so
   */
  record Complete(String text, List<Passage> files, @Nullable String commit, @Nullable String model)
      implements AgentAnswer {
    public Complete {
      text = OneLine.bounded(text);
      files = AnswerSchema.bounded(files);
      commit = OneLine.name(commit);
      model = OneLine.name(model);
    }
  }

  /**
   * It did not answer.
   *
   * @param failure the same for the retry policy
   * @param reason one line for a person: {@code no output}, {@code exit 3}, {@code killed by signal
   *     9} and the like, with the end of what it wrote to standard error
   * @param text what there is of an answer
   */
  record Broken(Failure failure, String reason, String text) implements AgentAnswer {
    private static final int MAX_REASON = 1000;

    public Broken {
      reason = OneLine.of(reason, MAX_REASON);
      text = OneLine.bounded(text);
    }
  }
}
