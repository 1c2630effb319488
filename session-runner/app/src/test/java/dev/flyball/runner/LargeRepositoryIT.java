package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.SourceWorkplaces.KnownCodebase;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName("The codebase of a repository of 200,000 files (S0-7, S0-38, S4-11)")
final class LargeRepositoryIT {
  private static final int TOPS = 20;
  private static final int FOLDERS = 1_000;
  private static final int FILES = 10;
  private static final String COMMIT = "c".repeat(40);

  @TempDir Path repository;

  @Test
  @DisplayName("is known with 5 s of processor time in a heap of 48 MB")
  void itIsSummarisedInSeconds() throws Exception {
    for (int top = 0; top < TOPS; top++) {
      for (int folder = 0; folder < FOLDERS; folder++) {
        Path made = repository.resolve("top%02d/folder%04d".formatted(top, folder));
        Files.createDirectories(made);
        for (int file = 0; file < FILES; file++) {
          Files.createFile(made.resolve("File%d.java".formatted(file)));
        }
      }
    }

    List<String> lines = inSmallHeap();

    System.out.println("codebase of 200,000 files: " + lines.getFirst() + " ms");
    assertThat(Long.parseLong(lines.getFirst())).isLessThan(5_000);
    assertThat(lines)
        .contains("Commit " + COMMIT + ", 200000 files.")
        .anyMatch(line -> line.startsWith("top00/"))
        .anyMatch(line -> line.startsWith("top19/"))
        .anyMatch(line -> line.startsWith("Cut: "));
    assertThat(String.join("\n", lines)).hasSizeLessThan(14_000);
  }

  private List<String> inSmallHeap() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                LargeRepositoryIT.class.getName(),
                repository.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines;
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      lines = out.lines().filter(line -> !line.contains(" INFO ")).toList();
    }
    assertThat(process.waitFor()).isZero();
    return lines;
  }

  /** Prints how many milliseconds of processor time the summary took, and the summary. */
  public static void main(String[] args) {
    var known = new KnownCodebase(Path.of("/nowhere"), new ElapsedClock());
    String text = known.of(Path.of(args[0]), COMMIT);
    // Not of the clock: other tests work beside this one.
    System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000);
    System.out.print(text);
  }
}
