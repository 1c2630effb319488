package dev.flyball.containment.session;

import dev.flyball.containment.Launch;
import java.io.IOException;

/**
 * Which program is the outermost process of a session: it starts the agent and holds its deadline.
 */
@FunctionalInterface
public interface Outermost {

  /**
   * Prepares its start; writes the session's files but the deadline.
   *
   * @param end the deadline at first, in centiseconds since boot
   */
  ProcessStart of(Launch launch, SessionFiles files, Deadline deadline, long end)
      throws IOException;
}
