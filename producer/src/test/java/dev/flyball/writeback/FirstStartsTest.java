package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Write-back remembers when it began, whatever the broker forgets")
class FirstStartsTest {
  private static final Instant FIRST = Instant.parse("2026-11-22T08:00:00Z");

  @TempDir Path folder;

  @Test
  void theFirstBeginningOfEachSourceIsKeptOverRestarts() {
    assertThat(at(FIRST).earlier("acme/web")).isEmpty();

    assertThat(at(FIRST.plusSeconds(60)).earlier("acme/web")).contains(FIRST);
    assertThat(at(FIRST.plusSeconds(90)).earlier("acme/web")).contains(FIRST);
    assertThat(at(FIRST).earlier("acme/other")).isEmpty();
  }

  @Test
  void whatIsTurnedOffStartsAgainFromNow() {
    at(FIRST).earlier("acme/web");
    at(FIRST).forget("acme/web");
    at(FIRST).forget("acme/never");

    assertThat(at(FIRST.plusSeconds(60)).earlier("acme/web")).isEmpty();
    assertThat(at(FIRST.plusSeconds(90)).earlier("acme/web")).contains(FIRST.plusSeconds(60));
  }

  @Test
  void anEmptyFileIsRejectedUntilItIsFixed() throws IOException {
    at(FIRST).earlier("acme/web");
    Files.writeString(file(), "2026-11-22T");

    assertThatThrownBy(() -> at(FIRST.plusSeconds(60)).earlier("acme/web"))
        .isInstanceOf(FirstStarts.Unreadable.class)
        .hasMessageContaining(file().toString());
    assertThat(file()).as("nothing is written over it").hasContent("2026-11-22T");

    Files.writeString(file(), FIRST.toString());
    assertThat(at(FIRST.plusSeconds(60)).earlier("acme/web")).contains(FIRST);
  }

  @Test
  void aFileThatCannotBeReadIsNoBeginning() throws IOException {
    Files.createDirectories(file());

    assertThatThrownBy(() -> at(FIRST).earlier("acme/web"))
        .isInstanceOf(FirstStarts.Unreadable.class);
  }

  @Test
  void aFolderThatCannotBeWrittenIsNoReasonToTellNothing() throws IOException {
    Files.createDirectories(file().resolveSibling("acme.web.part"));

    assertThat(at(FIRST).earlier("acme/web")).isEmpty();
  }

  private FirstStarts at(Instant now) {
    return new FirstStarts(folder.resolve("write-back"), () -> now);
  }

  private Path file() {
    return folder.resolve("write-back").resolve("acme.web");
  }
}
