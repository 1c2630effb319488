package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.program.launch.Program;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A data folder of an earlier version, with the repository and the items of its one run: four items
 * in five lines, of which two were analyzed, one skipped and one closed. The archive was written by
 * commit a0df1f1, before the modules moved, types were renamed and the rules of clean text rose
 * from 1 to 2.
 */
@Tag("long")
final class UpgradeIT {
  @TempDir Path folder;

  @BeforeEach
  void unpack() throws IOException, InterruptedException {
    Path archive = folder.resolve("archive.tar.gz");
    try (InputStream stored = UpgradeIT.class.getResourceAsStream("data-of-a0df1f1.tar.gz")) {
      Files.copy(Objects.requireNonNull(stored), archive, StandardCopyOption.REPLACE_EXISTING);
    }
    var tar = new ProcessBuilder("tar", "xzf", archive.toString(), "-C", folder.toString());
    assertThat(tar.inheritIO().start().waitFor()).isZero();
  }

  @Test
  @DisplayName("INV-4 INV-7: a data folder of an earlier version is read, and nothing runs again")
  void everythingIsReadAndNothingRunsAgain() {
    JsonNode report = run();

    assertThat(report.path("items").asInt()).isEqualTo(4);
    assertThat(report.path("triageCalls").asInt()).isZero();
    assertThat(report.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(report.path("analyses").asInt()).isZero();
    assertThat(report.path("duplicates").asInt()).isPositive();

    assertThat(answer("analysis", "3")).contains("Ledger.java:").contains("revision 8");
    assertThat(answer("items", "--state", "skipped")).contains("default/items/2");
    assertThat(answer("items", "--state", "closed")).contains("default/items/4");
    assertThat(answer("item", "default/items/1")).contains("session.completed");
  }

  @Test
  @DisplayName("S0-42: an item of an earlier version that is edited is analyzed once more")
  void anEditIsStillSeen() throws IOException {
    Path items = folder.resolve("items.jsonl");
    String edited =
        Files.readString(items)
            .replace("Seen on three machines", "Seen on four machines")
            .replace("\"revision\":\"8\"", "\"tags\":[\"needs-analysis\"],\"revision\":\"9\"");
    Files.writeString(items, edited);

    JsonNode report = run();

    assertThat(report.path("triageCalls").asInt()).isEqualTo(1);
    assertThat(report.path("sessions").path("completed").asInt()).isEqualTo(1);
  }

  private JsonNode run() {
    Program program =
        Program.run(
            folder, "run", "items.jsonl", "--repo", "repository", "--data", "data", "--json");
    assertThat(program.awaitEnd()).as(program::err).isZero();
    return program.json();
  }

  private String answer(String... command) {
    String[] all = Arrays.copyOf(command, command.length + 2);
    all[command.length] = "--data";
    all[command.length + 1] = "data";
    Program program = Program.run(folder, all);
    assertThat(program.awaitEnd()).as(program::err).isZero();
    return program.out();
  }
}
