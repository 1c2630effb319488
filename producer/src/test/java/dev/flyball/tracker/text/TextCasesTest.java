package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.TestSources;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("S0-24: what readers of a tracker's page see, from reports about other readers")
class TextCasesTest {

  record Case(String kind, String name, String text, String right) {
    @Override
    public String toString() {
      return kind + ": " + name;
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aReaderSeesThis(Case row) {
    String clean =
        switch (row.kind) {
          case "markdown" -> MarkdownText.of(row.text);
          case "textile" -> MarkdownText.orTextile(row.text);
          case "html" -> CleanText.of(row.text);
          case "adf" -> AdfText.of(row.text);
          case "title" -> CleanText.title(row.text);
          default -> throw new IllegalArgumentException(row.kind);
        };

    assertThat(clean).isEqualTo(row.right);
  }

  private static List<Case> cases() {
    return TestSources.resource("/dev/flyball/tracker/text/cases.jsonl")
        .lines()
        .map(line -> RecordJson.read(line, Case.class))
        .toList();
  }
}
