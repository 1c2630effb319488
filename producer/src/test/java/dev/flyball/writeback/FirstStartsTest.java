package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
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
    assertThat(at(FIRST).of("acme/web")).isEqualTo(FIRST);

    assertThat(at(FIRST.plusSeconds(60)).of("acme/web")).isEqualTo(FIRST);
    assertThat(at(FIRST.plusSeconds(90)).of("acme/other")).isEqualTo(FIRST.plusSeconds(90));
  }

  @Test
  void whatIsTurnedOffStartsAgainFromNow() {
    at(FIRST).of("acme/web");
    at(FIRST).forget("acme/web");
    at(FIRST).forget("acme/never");

    assertThat(at(FIRST.plusSeconds(60)).of("acme/web")).isEqualTo(FIRST.plusSeconds(60));
  }

  @Test
  void aFileThatCannotBeReadIsNoBeginning() throws IOException {
    Files.createDirectories(folder.resolve("write-back").resolve("acme.web"));

    assertThatThrownBy(() -> at(FIRST).of("acme/web"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("acme.web");
  }

  private FirstStarts at(Instant now) {
    return new FirstStarts(folder.resolve("write-back"), () -> now);
  }
}
