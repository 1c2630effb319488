package dev.flyball.contract.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import java.util.Collections;
import org.junit.jupiter.api.Test;

final class SessionResultTest {

  @Test
  void aResultThatFitsStaysAsItIs() {
    var result = result("short", 2);
    assertThat(result.within(10_000)).isSameAs(result);
  }

  @Test
  void passagesGoBeforeTheAnswer() {
    var bounded = result("short", 500).within(10_000);
    assertThat(bounded.text()).isEqualTo("short");
    assertThat(bounded.files()).isEmpty();
  }

  @Test
  void anAnswerIsCutByWhatItsJsonTakesAndSaysSo() {
    var bounded = result("\u0001".repeat(262_144), 0).within(900_000);
    assertThat(RecordJson.bytes(bounded)).hasSizeBetween(400_000, 900_000);
    assertThat(bounded.text()).endsWith("[cut at 131072 characters]");
  }

  private static SessionResult result(String text, int passages) {
    var passage = new Analysis.Passage("A.java", 1, 2, "lines ".repeat(20));
    return new SessionResult(
        "abc", text, Collections.nCopies(passages, passage), false, "command", null, null);
  }
}
