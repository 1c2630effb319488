package dev.flyball.contract.session;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The agent's own session, which remembers what it read and said. Several sessions of one item may
 * use it, one after the other. It is stored where the agent ran.
 *
 * @param id the agent's id of it
 * @param home label of the runner that has it
 * @param agent the adapter that made it, for example {@code claude}; another one cannot resume it
 * @param profile name of the configured agent that used it
 * @param runs how many sessions used it
 * @param since when the first of them ended
 * @param used what all of them used together
 */
public record AgentSession(
    String id,
    String home,
    @Nullable String agent,
    String profile,
    int runs,
    Instant since,
    TokenCount used) {

  public AgentSession {
    Objects.requireNonNull(id, "property id is missing");
    Objects.requireNonNull(home, "property home is missing");
    Objects.requireNonNull(profile, "property profile is missing");
    Objects.requireNonNull(since, "property since is missing");
    used = used == null ? TokenCount.NONE : used;
  }

  /** Returns it after one more session, which ran at {@code there}. */
  public AgentSession after(TokenCount more, String there) {
    return new AgentSession(id, there, agent, profile, runs + 1, since, used.plus(more));
  }
}
