package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Scout as a process, on this repository (design section 6, adapters)")
final class ScoutProcessIT {
  @TempDir private Path folder = Path.of("");
  @TempDir private Path pipes = Path.of("");

  /** How one process ended. */
  private record Ended(int exit, List<String> lines, String err) {
    JsonNode result() {
      return RecordJson.parse(lines.getLast());
    }

    List<String> paths() {
      return StreamSupport.stream(result().path("files").spliterator(), false)
          .map(file -> file.path("path").asText())
          .distinct()
          .toList();
    }
  }

  /** The table is about code that moves: a question may fail, most may not. */
  @Tag("long")
  @Test
  void findsTheFilesOfThisRepository() throws Exception {
    List<String> missed = new ArrayList<>();
    List<List<String>> questions = Orchard.questions("house-questions.tsv");
    for (List<String> question : questions) {
      Ended ended = run(house(), item(question.get(0), question.get(1)));
      List<String> first = ended.paths().stream().limit(3).toList();
      boolean found =
          Stream.of(question.get(2).split(","))
              .anyMatch(part -> first.stream().anyMatch(path -> path.contains(part)));
      if (!found) {
        missed.add(question.get(0) + ": " + first);
      }
    }
    assertThat(missed).hasSizeLessThanOrEqualTo(questions.size() / 4);
  }

  @Test
  void printsTheSameBytesTwice() throws Exception {
    byte[] item = item("kill ladder", "TERM, CONT, KILL");
    assertThat(run(house(), item).lines()).isEqualTo(run(house(), item).lines());
  }

  @Test
  void answersInTwoLinesAndNothingElse() throws Exception {
    Orchard.unpack(folder);
    Ended ended = run(folder, item("Wrong VAT for Italy", ""));
    assertThat(ended.exit()).isZero();
    assertThat(ended.err()).isEmpty();
    assertThat(ended.lines()).hasSize(2);
    assertThat(RecordJson.parse(ended.lines().getFirst()).path("subtype").asText())
        .isEqualTo("init");
    assertThat(ended.result().path("subtype").asText()).isEqualTo("success");
    assertThat(ended.paths().getFirst()).endsWith("VatRates.java");
  }

  @Test
  void inputThatIsNoItemFailsWithOneLine() throws Exception {
    Ended ended = run(folder, "nonsense".getBytes(StandardCharsets.UTF_8));
    assertThat(ended.exit()).isEqualTo(1);
    assertThat(ended.result().path("is_error").asBoolean()).isTrue();
    assertThat(ended.result().path("result").asText()).startsWith("scout: ").hasLineCount(1);
  }

  private static Path house() {
    return Path.of("../..").toAbsolutePath().normalize();
  }

  private static byte[] item(String title, String text) {
    return Orchard.item(title, text).written().getBytes(StandardCharsets.UTF_8);
  }

  private Ended run(Path repository, byte[] input) throws IOException, InterruptedException {
    Path in = Files.write(pipes.resolve("item"), input);
    Path out = pipes.resolve("out.txt");
    Path err = pipes.resolve("err.txt");
    ProcessBuilder builder =
        new ProcessBuilder(ScoutMain.command(List.of(pipes)))
            .directory(repository.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    // With any of them a JVM prints a line of its own to standard error.
    builder
        .environment()
        .keySet()
        .removeAll(Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
    Process process = builder.start();
    if (!process.waitFor(Duration.ofSeconds(60))) {
      process.destroyForcibly();
      throw new AssertionError("scout did not end within a minute");
    }
    return new Ended(process.exitValue(), Files.readAllLines(out), Files.readString(err));
  }
}
