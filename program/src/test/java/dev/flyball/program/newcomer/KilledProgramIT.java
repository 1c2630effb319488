package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dkills.of.files=20} for more kills. */
@Tag("long")
@DisplayName("A program that is killed leaves no file that the next one does not use or delete")
final class KilledProgramIT {
  private static final int KILLS = Integer.getInteger("kills.of.files", 2);

  @TempDir Path folder;
  private Path temporary;
  private Map<String, String> environment;

  @BeforeEach
  void prepare() throws IOException {
    temporary = Files.createDirectory(folder.resolve("temporary"));
    environment = Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary);
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """);
  }

  @Test
  void inTheFolderForTemporaryFilesOrInItsOwn() throws IOException {
    for (int kill = 0; kill < KILLS; kill++) {
      try (Program up = Program.start(folder, environment, "up")) {
        up.awaitLine("ready console=");
        Program.awaitPrinted()
            .untilAsserted(() ->
                assertThat(Program.run(folder, "items", "--state", "analyzed").out())
                    .hasLineCount(3));
        up.kill9();
      }
      assertThat(below(temporary)).as("kill %d", kill).isEmpty();
      assertThat(below(folder.resolve(".flyball")))
          .as("kill %d", kill)
          .filteredOn(file -> file.toString().contains(".so"))
          .isEmpty();
    }
  }

  private static List<Path> below(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }
}
