package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A coverage-guided fuzzer, on demand: {@code ./mvnw -pl producer -am test -Dfuzz.minutes=5
 * -Dtest=TextFuzzTest -Dsurefire.failIfNoSpecifiedTests=false}, and {@code -Dfuzz.seed=N} to repeat
 * a run. The property puts Jazzer on the class path. Findings and the corpus are kept in
 * target/fuzz.
 */
@Tag("fuzz")
class TextFuzzTest {
  private static final Path FOLDER = Path.of("target", "fuzz").toAbsolutePath();

  @Test
  void noTextBreaksTheRules() throws IOException, InterruptedException {
    Files.createDirectories(FOLDER.resolve("corpus"));
    Path log = FOLDER.resolve("fuzz.log");

    Process fuzzer =
        new ProcessBuilder(command())
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int exit = fuzzer.waitFor();

    List<String> lines = Files.readAllLines(log);
    lines.stream().filter(line -> line.matches("INFO: Seed: .*|Done .*")).forEach(this::say);
    assertThat(exit)
        .as(() ->
            "see "
                + log
                + ":\n"
                + String.join("\n", lines.reversed().stream().limit(20).toList().reversed()))
        .isZero();
  }

  private static List<String> command() {
    String classes = System.getProperty("surefire.test.class.path");
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+EnableDynamicAgentLoading", "--enable-native-access=ALL-UNNAMED"));
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(List.of("-Xmx1g", "-cp"));
    command.add(classes == null ? System.getProperty("java.class.path") : classes);
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + TextFuzz.class.getName());
    command.add(
        String.join(
            File.pathSeparator,
            "--instrumentation_includes=dev.flyball.tracker.text.**",
            "org.jsoup.**"));
    command.add("-max_total_time=" + 60 * Integer.getInteger("fuzz.minutes", 1));
    command.add("-seed=" + Long.getLong("fuzz.seed", 0));
    command.addAll(List.of("-timeout=60", "-rss_limit_mb=0", "-max_len=2048", "corpus"));
    return command;
  }

  private void say(String line) {
    System.out.println(line);
  }
}
