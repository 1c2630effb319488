package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.HttpProblem;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ChangeStreamsTest {
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPageHearsOfEachChangeUntilItsViewerMayNoLongerRead(@TempDir Path folder) throws Exception {
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
    try (var console = SecuredConsole.withoutKafka(folder)) {
      console.server.route("/short", streams::answer);
      var asked = URI.create(console.server.url() + "/short").toURL().openConnection();
      asked.setRequestProperty("Authorization", "Bearer " + SecuredConsole.VIEWER);
      try (InputStream in = asked.getInputStream();
          var lines = new Scanner(in, StandardCharsets.UTF_8)) {
        assertThat(lines.findWithinHorizon("data: \\d+", 0)).isEqualTo("data: 1");
        commits.incrementAndGet();
        assertThat(lines.findWithinHorizon("data: \\d+", 0)).isEqualTo("data: 2");
        revoked.set(true);
        commits.incrementAndGet();

        assertThat(lines.findWithinHorizon("data: \\d+", 0)).as("it has ended").isNull();
      }
    }
  }
}
