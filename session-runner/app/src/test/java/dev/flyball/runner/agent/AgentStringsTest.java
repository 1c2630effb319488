package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.runner.agent.AgentOutput.LineReader;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.testkit.LargeField;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@DisplayName("Every string of an agent has a bound where it enters")
class AgentStringsTest {
  private static final Map<String, Agent> ADAPTERS =
      Map.of(
          "claude", new Claude(null).session(Setup.DEFAULT),
          "codex", new Codex(null).session(Setup.DEFAULT),
          "gemini", new Gemini(null).session(Setup.DEFAULT),
          "text", new Command("/bin/agent").session(Setup.DEFAULT));

  @TempDir Path folder;

  static Stream<LargeField> fields() {
    return LargeField.all().stream();
  }

  @ParameterizedTest
  @MethodSource("fields")
  void textsFromAFieldAreBounded(LargeField field) throws IOException {
    Path said = folder.resolve("said");
    field.write(said, "\\u0001", 400_000);
    Agent.Reader reader = Objects.requireNonNull(ADAPTERS.get(field.agent())).reader();
    var signals = new ArrayList<AgentSignal>();
    try (var in = Files.newInputStream(said)) {
      var lines = new LineReader(in, AgentOutput.LONGEST_LINE);
      for (String line = lines.next(); line != null; line = lines.next()) {
        assertThat(line).hasSizeLessThan(AgentOutput.LONGEST_LINE + 100);
        signals.addAll(reader.line(line));
      }
    }

    for (AgentSignal signal : signals) {
      if (!(signal instanceof AgentSignal.Result)) {
        assertThat(signal.toString()).hasSizeLessThan(1_000);
      }
    }
    for (AgentAnswer answer : List.of(reader.soFar(false), reader.end(new Exit(1, 0), ""))) {
      assertBounded(answer);
    }
  }

  @Test
  @DisplayName("a line of half a million empty objects costs no more memory than its text")
  void aLineOfManyValuesMeansNothing() {
    String line = "{\"type\":\"result\",\"result\":[" + "{},".repeat(300_000) + "{}]}";

    assertThat(JsonLinesReader.object(line)).isEmpty();
  }

  private static void assertBounded(AgentAnswer answer) {
    int most = Transcript.MAX_ANSWER + 100;
    assertThat(answer.text()).hasSizeLessThan(most);
    switch (answer) {
      case AgentAnswer.Complete complete -> {
        assertThat(String.valueOf(complete.commit())).hasSizeLessThan(300);
        assertThat(String.valueOf(complete.model())).hasSizeLessThan(300);
        assertThat(RecordJson.write(complete.files())).hasSizeLessThan(1_000_000);
      }
      case AgentAnswer.Broken broken ->
          assertThat(broken.reason()).hasSizeLessThan(1_001).doesNotContain("\n", "\u0001");
    }
  }
}
