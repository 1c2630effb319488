package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Analysis.Passage;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An answer that follows the schema is read as text and passages")
class AgentAnswerTest {
  private static final String OBJECT =
      """
      {
        "text": "It is the pump.",
        "files": [{"path": "a/B.java", "fromLine": 3, "toLine": 9, "excerpt": "x"}]
      }\
      """;

  @ParameterizedTest
  @DisplayName("over several lines, in a block and after other text")
  @ValueSource(strings = {"%s", "```json\n%s\n```", "I read the code.\n\n```json\n%s\n```\n"})
  void anObjectOverSeveralLines(String around) {
    AgentAnswer.Complete answer = AgentAnswer.Complete.of(around.replace("%s", OBJECT), "m");

    assertThat(answer.text()).isEqualTo("It is the pump.");
    assertThat(answer.files()).containsExactly(new Passage("a/B.java", 3, 9, "x"));
  }

  @ParameterizedTest
  @DisplayName("what is no such object stays the text that it is")
  @ValueSource(
      strings = {
        "{\n\"text\": \"cut",
        "{\"text\": 7}",
        "{\"files\": []}",
        "{}",
        "```json\n```",
        "```json```",
        "Set {\"text\": \"on\"} in the file.",
        "{\"text\": \" \"}"
      })
  void otherTextStaysWhole(String said) {
    assertThat(AgentAnswer.Complete.of(said, null).text()).isEqualTo(said);
  }

  @Test
  @DisplayName("whether the item deserved the session is the last line of the answer")
  void deserved() {
    String line = "{\"type\":\"result\",\"text\":\"Done.\",\"deserved\":%s,\"why\":\"a\\nb\"}";

    assertThat(List.of("\"false\"", "true", "\"maybe\""))
        .extracting(value -> AgentAnswer.Complete.of(line.replace("%s", value), null).text())
        .containsExactly(
            "Done.\n\nDeserved a session: false (a b)",
            "Done.\n\nDeserved a session: true (a b)",
            "Done.");
    assertThat(List.of("\"false\"", "true", "\"maybe\""))
        .extracting(value -> AgentAnswer.Complete.of(line.replace("%s", value), null).deserved())
        .containsExactly("false", "true", null);
  }

  @Test
  @DisplayName(
      "an answer that the program itself checked comes before its text; a bad one does not")
  void structuredOutput() {
    String line = "{\"type\":\"result\",\"result\":\"plain\",\"structured_output\":%s}";

    assertThat(List.of("{\"text\":\"checked\"}", "{\"other\":1}", "7"))
        .extracting(value -> {
          var reader = new Claude.Reader();
          var _ = reader.line(line.replace("%s", value));
          return reader.soFar(false).text();
        })
        .containsExactly("checked", "plain", "plain");
  }
}
