package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command drill, as a colleague sees it. */
@Tag("long")
final class DrillIT {
  @TempDir Path folder;
  @TempDir Path temporary;

  @Test
  void itRunsTheIncidentTwiceAndLeavesOnlyItsPage() throws Exception {
    try (Program drill = drill("--yes", "--page", "page.html", "--set", "cap=2")) {
      assertThat(drill.awaitEnd()).as(drill::err).isZero();
      assertThat(row(drill, "agents at a time")).containsExactly(16, 2);
      assertThat(row(drill, "processes at a time").getFirst()).isEqualTo(383);
      assertThat(row(drill, "processes at a time").getLast()).isBetween(20, 80);
      assertThat(row(drill, "still there after the end").getFirst()).isGreaterThan(300);
      assertThat(row(drill, "still there after the end").getLast()).isZero();
      assertThat(drill.out()).contains("timedOut: silent for 3 s", "timedOut: wall clock of 4 s");
    }
    assertThat(Files.readString(folder.resolve("page.html"))).contains("<polyline", "383");
    assertNothingIsLeft();
  }

  @Test
  void aSignalEndsItsFirstHalf() {
    // The quick start's cap, with which the drill would never end.
    try (Program drill = drill("--yes", "--set", "cap=0")) {
      drill.awaitLine("first as it was");
      drill.signal("INT");
      assertThat(drill.awaitEnd()).as(drill::err).isEqualTo(130);
    }
    assertNothingIsLeft();
  }

  @Test
  void itStartsNothingUnasked() {
    try (Program drill = drill()) {
      assertThat(drill.awaitEnd()).isEqualTo(2);
      assertThat(drill.err()).contains("--yes");
    }
  }

  private void assertNothingIsLeft() {
    assertThat(temporary).isEmptyDirectory();
    assertThat(Shell.said("sh", "-c", "ps -eo args | grep -c '[f]lyball-drill-.*slow' || true"))
        .isEqualToIgnoringNewLines("0");
  }

  private static List<Integer> row(Program drill, String name) {
    return Pattern.compile("(?m)^" + name + " +(\\d+) +(\\d+)$")
        .matcher(drill.out())
        .results()
        .flatMap(found -> Stream.of(found.group(1), found.group(2)))
        .map(Integer::valueOf)
        .toList();
  }

  private Program drill(String... more) {
    String[] line = Stream.concat(Stream.of("drill"), Stream.of(more)).toArray(String[]::new);
    return Program.start(folder, Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary), line);
  }
}
