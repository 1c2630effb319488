package dev.flyball.runner.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.ContainedProcess.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
  @TempDir Path folder;

  static Journal.Row row(String session, Identity owner, Optional<Identity> process) {
    return new Journal.Row(session, "acme/items/1", "topic:7", "A", owner, process, 1000);
  }

  // S0-27, S0-29, S1-8
  @Test
  void rowsOutliveTheJournalThatWroteThem() throws Exception {
    Identity own = Identity.own();
    var process = new Identity(4711, 99, own.bootId(), own.pidNamespace());
    try (var journal = Journal.open(folder)) {
      journal.opened(row("a", own, Optional.empty()));
      journal.opened(row("b", own, Optional.empty()));
      journal.started("b", process);
      journal.opened(row("c", own, Optional.empty()));
      journal.closed("c", 2000);
    }

    try (var journal = Journal.open(folder)) {
      assertThat(journal.open())
          .containsExactly(row("a", own, Optional.empty()), row("b", own, Optional.of(process)));
      assertThat(journal.closedOf(List.of("a", "c", "unknown")))
          .extracting(Journal.Row::session)
          .containsExactly("c");
    }
  }

  // A runner that is never restarted must not grow.
  @Test
  void oldClosedSessionsAreForgottenExceptThoseThatLive() throws Exception {
    List<String> closed = List.of("old", "old but alive", "second", "first");
    try (var journal = Journal.open(folder)) {
      journal.opened(row("open", Identity.own(), Optional.empty()));
      for (String session : closed) {
        journal.opened(row(session, Identity.own(), Optional.empty()));
        journal.closed(session, 1000 + closed.indexOf(session));
      }

      journal.forgetClosed(1002, Set.of("old but alive"));

      assertThat(journal.closedOf(closed))
          .extracting(Journal.Row::session)
          .containsExactlyInAnyOrder("old but alive", "second", "first");
      assertThat(journal.open()).extracting(Journal.Row::session).containsExactly("open");
    }
  }

  @Test
  void aSessionIsOpenedOnce() throws Exception {
    try (var journal = Journal.open(folder)) {
      journal.opened(row("a", Identity.own(), Optional.empty()));

      assertThatThrownBy(() -> journal.opened(row("a", Identity.own(), Optional.empty())))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void anUnreadableJournalIsRejectedInOneLine() throws Exception {
    Files.writeString(
        folder.resolve("journal.db"), "this is no database, but long enough to be looked at");

    assertThatThrownBy(() -> Journal.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("journal.db")
        .message()
        .doesNotContain("\n");
  }
}
