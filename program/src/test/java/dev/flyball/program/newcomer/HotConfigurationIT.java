package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody edits flyball.yaml while `up` runs. */
@Tag("long")
final class HotConfigurationIT {
  private static final String FIXED =
      """
      sessions: {repo: repo}
      console: {listen: "127.0.0.1:0"}
      broker: {listen: "127.0.0.1:0"}
      sources:
        - {name: one, type: jsonl, path: one.jsonl, interval: 1s}
      """;

  @TempDir Path folder;

  @Test
  @DisplayName("S0-51: a source added while `up` runs is polled; a bad file changes nothing")
  void aServiceGoesByTheFileAsItIs() {
    var desk = new Desk(folder);
    desk.write("one.jsonl", "{\"id\":\"1\",\"title\":\"the lease expires too early\"}\n");
    desk.write("two.jsonl", "{\"id\":\"2\",\"title\":\"the lease expires too late\"}\n");
    desk.write("flyball.yaml", FIXED);
    try (Program up = Program.start(folder, "up")) {
      up.awaitLine("ready console=");
      String console = up.out().replaceAll("(?s).*console=(\\S+) .*", "$1");

      desk.write("flyball.yaml", FIXED + "  - {name: two, type: jsonl}\n");
      up.awaitLine(
          "flyball.yaml is not applied, the previous configuration stays: flyball.yaml:6: ");
      KafkaFixture.await()
          .untilAsserted(() -> assertThat(get(console + "/health")).contains("flyball.yaml:6"));

      desk.write(
          "flyball.yaml", FIXED + "  - {name: two, type: jsonl, path: two.jsonl, interval: 1s}\n");
      up.awaitLine("flyball.yaml read again: added default/two");
      Program.awaitPrinted()
          .untilAsserted(() ->
              assertThat(Program.run(folder, "items").out())
                  .contains("default/one/1", "default/two/2"));
      assertThat(get(console + "/health")).doesNotContain("flyball.yaml");
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
  }

  private static String get(String url) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(
              HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
