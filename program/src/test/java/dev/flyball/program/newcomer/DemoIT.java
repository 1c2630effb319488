package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command demo, as a colleague sees it. */
@Tag("long")
final class DemoIT {
  @TempDir Path folder;

  @Test
  void itEndsByItselfWithWhatBecameOfEachItemAndNoSurvivors() {
    try (Program demo = demo("new")) {
      assertThat(demo.awaitEnd()).as(demo::err).isZero();
      assertThat(demo.out())
          .containsPattern("demo/backlog/101\tanalyzed\tcompleted\t\\S+\t0\t")
          .containsPattern("demo/backlog/102\tskipped\t-\t")
          .containsPattern("demo/backlog/104\tclosed\t-\t")
          .containsPattern("demo/backlog/105\tdead\tfailed\t\\S+\t0\t\\d+ processes, limit 30\t")
          .containsPattern("demo/backlog/106\tdead\ttimedOut\t\\S+\t0\tsilent for 10 s; [^\\t]*\t");
    }
  }

  @Test
  void itTouchesNoFolderThatHoldsAnything() {
    Workplace.in(folder).write("full/a.txt", "kept");
    try (Program demo = demo("full")) {
      assertThat(demo.awaitEnd()).isEqualTo(1);
      assertThat(demo.err()).contains("full", "--data").hasLineCount(1);
    }
  }

  private Program demo(String data) {
    return Program.start(folder, Program.ANYWHERE, "demo", "--repo", ".", "--data", data);
  }
}
