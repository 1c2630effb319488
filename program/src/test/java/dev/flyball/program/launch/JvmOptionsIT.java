package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The launcher's JVM settings")
final class JvmOptionsIT {

  @ParameterizedTest
  @ValueSource(strings = {"run", "runner", "items"})
  @DisplayName("out of memory ends a program with 137, never with 3: work that is done")
  void outOfMemoryHasASeparateExitCode(String command) throws Exception {
    assertThat(exit(command, Hungry.class)).isEqualTo(137);
  }

  @Test
  @DisplayName("it ends the first process of a container too, which no signal from inside can end")
  void outOfMemoryEndsTheFirstProcessOfAContainer() throws Exception {
    var container = new ArrayList<>(List.of("unshare", "--pid", "--fork", "--kill-child"));
    if (!"root".equals(System.getProperty("user.name"))) {
      container.addAll(List.of("--user", "--map-current-user"));
    }
    container.add("--mount-proc");

    assertThat(exit(container, "runner", Hungry.class)).isEqualTo(3);
  }

  @Test
  @DisplayName("a runner's heap holds 100,000 waiting requests and eight lines of 10 MB")
  void aRunnersHeapIsLargeEnough() throws Exception {
    assertThat(exit("runner", FullRunnerMain.class)).isZero();
  }

  private static int exit(String command, Class<?> main) throws Exception {
    return exit(List.of(), command, main);
  }

  private static int exit(List<String> around, String command, Class<?> main) throws Exception {
    var words = new ArrayList<>(around);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(JvmOptions.of(command));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return new ProcessBuilder(words).inheritIO().start().waitFor();
  }

  /** Takes all memory that there is. */
  static final class Hungry {
    private Hungry() {}

    public static void main(String[] args) {
      var eaten = new ArrayList<byte[]>();
      while (eaten.size() < Integer.MAX_VALUE) {
        eaten.add(new byte[1 << 20]);
      }
    }
  }
}
