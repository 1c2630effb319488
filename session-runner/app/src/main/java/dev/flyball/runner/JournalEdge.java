package dev.flyball.runner;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Identities;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.execution.SessionJournal;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.JournalRow;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Writes a session's rows with this process as their owner, and reports to the gate whether that
 * works.
 */
record JournalEdge(Journal journal, String level, InstantSource clock, GateKeeper gate)
    implements SessionJournal {

  @Override
  public void opened(SessionHandle session) throws IOException {
    var row =
        new JournalRow(
            session.session(),
            session.item().toString(),
            session.token().toString(),
            level,
            Identities.own(),
            Optional.empty(),
            clock.millis());
    try {
      journal.opened(row);
      gate.folderWorks();
    } catch (IOException e) {
      gate.folderRefused(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  @Override
  public void started(String session, Identity identity) throws IOException {
    journal.started(session, identity);
  }

  @Override
  public void closed(String session) throws IOException {
    journal.closed(session, clock.millis());
  }
}
