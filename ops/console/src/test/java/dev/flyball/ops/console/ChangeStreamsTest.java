package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.projection.SeededProjection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an open page hears. */
@Timeout(20)
final class ChangeStreamsTest {
  @TempDir Path folder;
  private SecuredConsole console;

  @BeforeEach
  void start() {
    SeededProjection.write(folder, "a/s/1");
    console = SecuredConsole.withoutKafka(folder);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  void aPageGoesOnAfterTheProjectionWasRebuilt() throws IOException {
    try (BufferedReader lines = events()) {
      assertThat(next(lines)).isEqualTo("data: 1");
      for (String end : List.of("", "-wal", "-shm")) {
        Files.deleteIfExists(folder.resolve("console.db" + end));
      }
      SeededProjection.write(folder, "a/s/1", "a/s/2");

      assertThat(next(lines)).isEqualTo("data: 2");
    }
  }

  private BufferedReader events() throws IOException {
    var connection = URI.create(console.server.url() + "/events").toURL().openConnection();
    connection.setReadTimeout(10_000);
    connection.setRequestProperty("Authorization", "Bearer " + SecuredConsole.VIEWER);
    return new BufferedReader(
        new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
  }

  /** The data of the next event. */
  private static String next(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    while (!line.startsWith("data: ")) {
      line = lines.readLine();
    }
    return line;
  }
}
