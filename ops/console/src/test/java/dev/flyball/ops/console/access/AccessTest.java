package dev.flyball.ops.console.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.console.access.ConsoleAccess.SignIns;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessTest {
  private static final Instant T = Instant.parse("2026-02-10T08:00:00Z");
  private static final Viewer ANN = new Viewer("ann", Map.of("a", AccessRole.OPERATOR));

  @Test
  void aTokenIsKnownByItsHashOnly() {
    var token = AccessToken.ofPlain("ann", "a-token-of-some-length", ANN.roles());
    var tokens = List.of(token);

    assertThat(AccessToken.viewer(tokens, "a-token-of-some-length")).hasValue(ANN);
    assertThat(AccessToken.viewer(tokens, "a-token-of-some-lengtH")).isEmpty();
    assertThat(AccessToken.viewer(tokens, "")).isEmpty();
    assertThat(AccessToken.viewer(tokens, token.sha256())).isEmpty();
    assertThat(token.toString()).isEqualTo("token ann");
    // Of the specification: SHA-256 of "abc".
    assertThat(AccessToken.hash("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void aTokenThatCouldBeGuessedIsRejected() {
    assertThatThrownBy(() -> AccessToken.ofPlain("ann", "x".repeat(19), ANN.roles()))
        .hasMessageContaining("fewer than 20 characters");
  }

  @Test
  void rolesHoldForTheirTenantAndTheOverallRoleForTheOthers() {
    var both = new Viewer("ben", Map.of("*", AccessRole.VIEWER, "a", AccessRole.ADMIN));

    assertThat(ANN.may("a", AccessRole.OPERATOR)).isTrue();
    assertThat(ANN.may("a", AccessRole.ADMIN)).isFalse();
    assertThat(ANN.may("b", AccessRole.VIEWER)).isFalse();
    assertThat(ANN.mayEverywhere(AccessRole.VIEWER)).isFalse();
    assertThat(both.may("a", AccessRole.ADMIN)).isTrue();
    assertThat(both.may("b", AccessRole.OPERATOR)).isFalse();
    assertThat(both.mayEverywhere(AccessRole.VIEWER)).isTrue();
    assertThat(both.mayEverywhere(AccessRole.ADMIN)).isFalse();
  }

  @Test
  void aBrowserIsSignedInUntilItSignsOutOrTimeIsOver() {
    var signIns = new SignIns();
    String one = signIns.begin(ANN, T);
    String other = signIns.begin(ANN, T);

    assertThat(one).isNotEqualTo(other).hasSize(43);
    signIns.end(other);
    assertThat(signIns.viewer(one, T.plus(SignIns.AGE).minusSeconds(1))).hasValue(ANN);
    assertThat(signIns.viewer(other, T)).isEmpty();
    assertThat(signIns.viewer(one, T.plus(SignIns.AGE))).isEmpty();
    assertThat(signIns.viewer("", T)).isEmpty();
  }

  @Test
  void theOldestBrowserOfAViewerIsSignedOutWhenItHasTooMany() {
    var signIns = new SignIns();
    String others = signIns.begin(new Viewer("ben", Map.of("a", AccessRole.VIEWER)), T);
    String oldest = signIns.begin(ANN, T);
    String second = signIns.begin(ANN, T);
    for (int i = 1; i < SignIns.MOST_OF_ONE; i++) {
      signIns.begin(ANN, T);
    }

    assertThat(signIns.viewer(oldest, T)).isEmpty();
    assertThat(signIns.viewer(second, T)).isPresent();
    assertThat(signIns.viewer(others, T)).as("of another viewer").isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "/items?state=dead, /items?state=dead",
        "/, /",
        "/item?key=a/b/1#end, /item?key=a/b/1#end",
        "//evil.example/x, /",
        "/\\evil.example, /",
        "https://evil.example, /",
        "javascript:alert(1), /",
        "-, /",
      })
  void aBrowserContinuesOnThisServerOnly(String back, String continuesAt) {
    assertThat(ConsoleAccess.back(back)).isEqualTo(continuesAt);
  }

  @Test
  void aLineBreakCannotAddAHeader() {
    assertThat(ConsoleAccess.back("/x\r\nSet-Cookie: a=b")).isEqualTo("/");
    assertThat(ConsoleAccess.back("/" + "x".repeat(3_000))).isEqualTo("/");
  }
}
