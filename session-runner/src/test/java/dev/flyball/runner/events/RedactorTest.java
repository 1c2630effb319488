package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
}
