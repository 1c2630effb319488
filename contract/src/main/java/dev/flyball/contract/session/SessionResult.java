package dev.flyball.contract.session;

import dev.flyball.contract.json.RecordJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An agent's answer. The runner's {@code result} event carries it until the terminal turns it into
 * an {@link Analysis}.
 *
 * @param commit the repository's head that the agent was given
 * @param text the answer, bounded by the runner
 * @param partial whether the session ended before the agent reported that it was done
 * @param prompt name and version of the prompt's template, null if the agent read no prompt
 */
public record SessionResult(
    @Nullable String commit,
    String text,
    List<Analysis.Passage> files,
    boolean partial,
    String agent,
    @Nullable String model,
    @Nullable String prompt) {

  public SessionResult {
    files = List.copyOf(files);
  }

  /**
   * Returns this result if its JSON has at most this many bytes. Otherwise it drops the passages
   * and, if needed, cuts and marks the answer: a character may take six bytes, and the broker would
   * reject a larger record.
   */
  public SessionResult within(int maxBytes) {
    if (RecordJson.bytes(this).length <= maxBytes) {
      return this;
    }
    var bare = new SessionResult(commit, text, List.of(), partial, agent, model, prompt);
    for (int kept = text.length();
        kept > 0 && RecordJson.bytes(bare).length > maxBytes;
        kept /= 2) {
      String cut = text.substring(0, kept) + "\n[cut at " + kept + " characters]";
      bare = new SessionResult(commit, cut, List.of(), partial, agent, model, prompt);
    }
    return bare;
  }
}
