package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        "sk-0123456789abcdef",
        "ghp_abcdefghijklmnopqrst",
        "ghs_abcdefghijklmnopqrst",
        "github_pat_11ABCDEFG0abcdefghij",
        "xoxb-1234567890",
        "AKIAABCDEFGHIJKLMNOP",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "eyJhbGciOiJIU.eyJzdWIiOiIxM.c2lnbmF0dXJl",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN OPENSSH PRIVATE KEY-----"
      })
  void textThatLooksLikeACredentialIsRedacted(String token) {
    assertThat(redactor.redact("it is " + token + " here")).isEqualTo("it is [redacted] here");
  }

  @ParameterizedTest
  @CsvSource({
    "Authorization: Bearer abcdefghijklmnop==, Authorization: Bearer [redacted]",
    "bearer abcdefghijklmnop, bearer [redacted]",
    "{\"key\":\"a\\nsk-0123456789abcdef\"}, {\"key\":\"a\\n[redacted]\"}",
    "https://user:pass1234@example.org/x, https://[redacted]@example.org/x"
  })
  void textBesideACredentialStays(String text, String redacted) {
    assertThat(redactor.redact(text)).isEqualTo(redacted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sk-0123456789abcde",
        "eyJhbGciOiJIU is half a token",
        "eyJhbGciOiJIU.short.eyJhbGciOiJIU",
        "AKIA-is-short",
        "application/vnd.task-definition-list-v2+json",
        "disk-encryption-of-the-host",
        "-----BEGIN CERTIFICATE-----"
      })
  void textTooShortForACredentialStays(String text) {
    assertThat(redactor.redact(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u001b[32m", "key%3D", "\\u003c", "line\\n", "a-sk-ant-", "mysk-proj-"})
  @DisplayName("a letter that belongs to an escape, or a known prefix, hides no credential")
  void aKeyBehindAnEscapeIsFound(String before) {
    String key = "sk-0123456789abcdefghij";
    String text = before.endsWith("-") ? before + "0123456789abcdefghij" : before + key;

    assertThat(redactor.redact(text)).doesNotContain("0123456789abcdefghij");
  }

  @Test
  @DisplayName("a token within a run of letters that only begins like a web token is found")
  void aTokenWithinARunIsFound() {
    assertThat(
            redactor.redact("eyJaaaaaaaaaaaa.sk-0123456789abcdef eyJ0123456789sk-0123456789abcdef"))
        .isEqualTo("eyJaaaaaaaaaaaa.[redacted] eyJ0123456789[redacted]");
  }

  @Test
  void theLongerOfTwoSecretsIsTakenOutWhole() {
    var nested = new Redactor(List.of("password", "password-of-prod"));

    assertThat(nested.redact("it is password-of-prod")).isEqualTo("it is [redacted]");
  }

  /**
   * Each would take minutes if time grew with the square of the length; the limit is for machines
   * that are busy.
   */
  @ParameterizedTest
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  @ValueSource(
      strings = {
        "eyJ",
        "eyJaaaaaaaaaa.",
        "eyJaaaaaaaaaa.bbbbbbbbbb.",
        "sk-",
        "ghp_",
        "github_pat_",
        "xoxb-",
        "AKIA",
        "AIza",
        "Bearer ",
        "://a:",
        "-----BEGIN ",
        "-----BEGIN A PRIVATE KEY",
        "PRIVATE KEY ",
        "hunter2-hunter",
        "..."
      })
  void timeGrowsWithTheTextOnly(String part) {
    String text = part.repeat((1 << 19) / part.length());

    assertThat(redactor.redact(text)).isNotEmpty();
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
