package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.HttpProblem;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an open page hears. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ChangeStreamsTest {
  @TempDir Path folder;
  private SecuredConsole console;

  @BeforeEach
  void start() {
    console = SecuredConsole.withoutKafka(folder);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  void aPageHearsOfEachChangeUntilItsViewerMayNoLongerRead() throws IOException {
    var commits = new AtomicLong();
    var revoked = new AtomicBoolean();
    var viewer = new Viewer("vito", Map.of("*", AccessRole.VIEWER));
    var streams =
        new ChangeStreams(
            commits::get,
            8,
            exchange -> {
              if (revoked.get()) {
                exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
                throw new HttpProblem(401, "revoked");
              }
              return viewer;
            },
            Duration.ofMillis(50));
    console.server.route("/short", streams::answer);
    try (BufferedReader lines = events("/short")) {
      assertThat(next(lines)).isEqualTo("data: 1");
      commits.incrementAndGet();
      assertThat(next(lines)).isEqualTo("data: 2");
      revoked.set(true);

      assertThat(lines.lines().anyMatch(line -> line.startsWith("data: "))).isFalse();
    }
  }

  private BufferedReader events(String path) throws IOException {
    var connection = URI.create(console.server.url() + path).toURL().openConnection();
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
