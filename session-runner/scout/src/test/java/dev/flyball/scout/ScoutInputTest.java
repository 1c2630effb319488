package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis.Passage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ScoutInputTest {

  @Test
  void readsWhatIsWritten() throws IOException {
    var input =
        new ScoutInput("a/b/1", "t\u00eftle", "text\n2", List.of("x", "y"), List.of("contract"));
    assertThat(read(input.written())).isEqualTo(input);
    assertThat(read("\0t\0\0\0")).isEqualTo(new ScoutInput("", "t", "", List.of(), List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "{}", "\0 \0\0\0", "\0title\0text"})
  void rejectsWhatIsNoItem(String input) {
    assertThatThrownBy(() -> read(input)).isInstanceOf(IOException.class);
  }

  @Test
  void theAnswersLineIsReadAsTheContractsPassages() throws IOException {
    var passage = new Passage("a/B.java", 3, 4, "one\n\"two\"\n");
    var answer =
        new ScoutAnswer("text", List.of(), List.of(passage), null, ScoutAnswer.Confidence.LOW);
    String line = new String(answer.resultLine("s"), StandardCharsets.UTF_8);
    assertThat(line).endsWith("}\n").hasLineCount(1);
    JsonNode json = RecordJson.parse(line);
    assertThat(RecordJson.fromTree(json.path("files").path(0), Passage.class)).isEqualTo(passage);
    assertThat(json.path("commit").isNull()).isTrue();
    assertThat(json.has("model")).isFalse();
    assertThat(json.path("usage").path("output_tokens").asInt(-1)).isZero();
    assertThat(json.path("total_cost_usd").asInt(-1)).isZero();
  }

  private static ScoutInput read(String json) throws IOException {
    return ScoutInput.read(json.getBytes(StandardCharsets.UTF_8));
  }
}
