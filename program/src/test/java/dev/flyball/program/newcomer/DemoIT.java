package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.program.launch.Program;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command demo, as a colleague sees it. */
@Tag("long")
final class DemoIT {
  private static final String[] ANYWHERE = {
    "--set", "console.listen=127.0.0.1:0", "--set", "broker.listen=127.0.0.1:0"
  };

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
    new Desk(folder).write("full/a.txt", "kept");
    try (Program demo = demo("full")) {
      assertThat(demo.awaitEnd()).isEqualTo(1);
      assertThat(demo.err()).contains("full", "--data").hasLineCount(1);
    }
  }

  private Program demo(String data) {
    String[] command = {"demo", "--repo", ".", "--data", data};
    String[] all = new String[command.length + ANYWHERE.length];
    System.arraycopy(command, 0, all, 0, command.length);
    System.arraycopy(ANYWHERE, 0, all, command.length, ANYWHERE.length);
    return Program.start(folder, all);
  }
}
