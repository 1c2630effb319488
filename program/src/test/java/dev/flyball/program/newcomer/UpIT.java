package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service: ready line, health, roles beside it, TERM. */
final class UpIT {
  private static final Pattern READY =
      Pattern.compile(
          "ready console=(http://127\\.0\\.0\\.1:[0-9]+) kafka=(127\\.0\\.0\\.1:[0-9]+)\n");

  @TempDir Path folder;

  @Test
  void aServiceSaysWhenItIsReadyAnswersAndStopsOnTerm() {
    var place = Workplace.in(folder);
    place.write("items.jsonl", Workplace.backlog(Workplace.LEASE, "1"));
    place.service("");
    try (Program up = Program.up(folder)) {
      Matcher ready = READY.matcher(up.out());
      assertThat(ready.matches()).as(up::out).isTrue();
      assertThat(up.get("/readyz").body()).isEqualTo("ok\n");
      Program open = Program.run(folder, "open");
      assertThat(open.awaitEnd()).as(open::err).isZero();
      assertThat(open.out()).as("the port that it took").isEqualTo(ready.group(1) + "\n");
      // The console folds the ledger after the runner that wrote it.
      KafkaFixture.await()
          .untilAsserted(() ->
              assertThat(up.get("/health").body())
                  .startsWith("{\"status\":\"")
                  .contains("\"cap\":3"));
      KafkaFixture.await()
          .untilAsserted(() -> assertThat(up.json("/api/items?state=analyzed")).hasSize(2));

      String[] late = {"runner", "--set", "broker.data=.flyball", "--data", "other", "--cap", "7"};
      try (Program runner = Program.start(folder, late)) {
        runner.awaitLine("ready role=runner id=");
        assertThat(runner.out())
            .matches("ready role=runner id=\\S+ admin=http://127\\.0\\.0\\.1:[0-9]+\n");
        assertThat(runner.err().lines()).filteredOn(line -> line.contains("--cap")).hasSize(1);
        runner.signal("TERM");
        assertThat(runner.awaitEnd()).as(runner::err).isZero();
      }
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
  }

  @Tag("long")
  @Test
  void aSignalDuringTheStartStartsNothingMore() {
    Path data = folder.resolve(".flyball");
    try (Program up = Program.start(folder, Program.ANYWHERE, "up")) {
      KafkaFixture.await().until(() -> Files.exists(data.resolve("kafka/embedded-broker.running")));
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
      assertThat(up.out()).isEmpty();
    }
    assertThat(data.resolve("kafka")).exists();
    assertThat(data.resolve("runner/journal.db")).doesNotExist();
  }
}
