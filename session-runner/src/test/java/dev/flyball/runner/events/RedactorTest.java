package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {
  private final Redactor redactor = new Redactor(List.of("hunter2-hunter2", "1"));

  @Test
  void knownValuesNeverLeave() {
    assertThat(redactor.redact("user=1 password=hunter2-hunter2!"))
        .isEqualTo("user=1 password=[redacted]!");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key sk-0123456789abcdefghij",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "Authorization: Bearer abcdefghijklmnop0123",
        "https://user:pass1234@example.org/x",
        "AKIAABCDEFGHIJKLMNOP"
      })
  void whatLooksLikeATokenIsTakenOut(String text) {
    assertThat(redactor.redact(text)).contains("[redacted]");
  }

  @Test
  void ordinaryOutputStays() {
    String text = "src/main/App.java:12 calls https://example.org/a?b=c and returns 42";

    assertThat(redactor.redact(text)).isEqualTo(text);
  }

  @Test
  void aSecretIsKnownInJsonAndLineByLine() {
    var many = new Redactor(List.of("first-part\nsecond\"part"));

    assertThat(many.redact("{\"t\":\"first-part\\nsecond\\\"part\"}"))
        .isEqualTo("{\"t\":\"[redacted]\"}");
    assertThat(many.redact("> first-part")).isEqualTo("> [redacted]");
  }

  @Test
  @DisplayName("a cut through a secret leaves no half of it")
  void aCutLeavesNoHalf() {
    assertThat(redactor.redact("say hunter2-hunter2 again", 10)).isEqualTo("say [redac");
    assertThat(redactor.redact("exit 1; output: it is hunter2-hun..."))
        .isEqualTo("exit 1; output: it is [redacted]...");
    String many = "hunter2-hunter2 ".repeat(5_000);
    assertThat(redactor.redact(many, 64 * 1024)).doesNotContain("hunter2");
  }

  @Test
  @DisplayName("a URL and a later e-mail address in one JSON line are no password (claude-code)")
  void jsonStaysJson() {
    String line = "{\"a\":\"http://x\",\"b\":\"me@example.org\"}";

    assertThat(redactor.redact(line)).isEqualTo(line);
  }
}
