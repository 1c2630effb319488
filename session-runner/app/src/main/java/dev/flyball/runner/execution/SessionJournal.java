package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;

/** The journal rows that survive this process, so that the next one finds what it left behind. */
public interface SessionJournal {

  /** Writes the row before the agent starts; the session must not start if this fails. */
  void opened(SessionHandle session) throws IOException;

  /** Records the process as which the agent was started. */
  void started(String session, Identity identity) throws IOException;

  /** Records that the tree is dead and the lease released. */
  void closed(String session) throws IOException;
}
