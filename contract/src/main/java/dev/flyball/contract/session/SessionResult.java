package dev.flyball.contract.session;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.flyball.contract.json.RecordJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent answered, carried by the runner's {@code result} event until the terminal turns it
 * into an {@link Analysis}.
 *
 * @param commit the repository's head that the agent was given
 * @param text the answer, bounded by the runner
 * @param partial whether the session ended before the agent said that it was done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SessionResult(
    @Nullable String commit,
    String text,
    List<Analysis.Passage> files,
    boolean partial,
    String agent,
    @Nullable String model) {

  public SessionResult {
    files = List.copyOf(files);
  }

  /**
   * This result if its JSON has at most so many bytes, else without its passages and, if need be,
   * with its answer cut and marked: a character may take six bytes, and a record that no broker
   * takes would be sent in vain.
   */
  public SessionResult within(int maxBytes) {
    if (RecordJson.bytes(this).length <= maxBytes) {
      return this;
    }
    var bare = new SessionResult(commit, text, List.of(), partial, agent, model);
    for (int kept = text.length();
        kept > 0 && RecordJson.bytes(bare).length > maxBytes;
        kept /= 2) {
      String cut = text.substring(0, kept) + "\n[cut at " + kept + " characters]";
      bare = new SessionResult(commit, cut, List.of(), partial, agent, model);
    }
    return bare;
  }
}
