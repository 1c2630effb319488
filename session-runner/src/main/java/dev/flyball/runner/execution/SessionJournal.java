package dev.flyball.runner.execution;

import dev.flyball.runner.process.ContainedProcess.Identity;
import java.io.IOException;

/** The rows that survive this process, so that the next one finds what it left behind. */
public interface SessionJournal {

  /** Before the agent starts; the session must not start if this fails. */
  void opened(Assignment assignment) throws IOException;

  /** The agent was started as this process. */
  void started(String session, Identity identity) throws IOException;

  /** Its tree is dead and its lease released. */
  void closed(String session) throws IOException;
}
