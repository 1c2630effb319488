package dev.flyball.producer.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Write-back remembers when it began, whatever the broker forgets")
class BeginningsTest {
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
  void whatIsTurnedOffBeginsAnew() {
    at(FIRST).earlier("acme/web");
    at(FIRST).forget("acme/web");
    at(FIRST).forget("acme/never");

    assertThat(at(FIRST.plusSeconds(60)).earlier("acme/web")).isEmpty();
    assertThat(at(FIRST.plusSeconds(90)).earlier("acme/web")).contains(FIRST.plusSeconds(60));
  }

  @Test
  void aFileThatSaysNothingIsABeginning() throws IOException {
    at(FIRST).earlier("acme/web");
    Files.writeString(file(), "2026-11-22T");

    assertThat(at(FIRST.plusSeconds(60)).earlier("acme/web")).isEmpty();
    assertThat(at(FIRST).earlier("acme/web")).contains(FIRST.plusSeconds(60));
  }

  @Test
  void aFolderThatCannotBeWrittenIsNoReasonToTellNothing() throws IOException {
    Files.writeString(folder.resolve("write-back"), "a file");

    assertThat(at(FIRST).earlier("acme/web")).isEmpty();
  }

  private Beginnings at(Instant now) {
    return new Beginnings(folder.resolve("write-back"), () -> now);
  }

  private Path file() {
    return folder.resolve("write-back").resolve("acme.web");
  }
}
