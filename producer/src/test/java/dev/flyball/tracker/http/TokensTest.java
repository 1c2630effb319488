package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.TrackerFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Secrets are read from where they are stored, and no error message quotes one. */
class TokensTest {
  @TempDir Path folder;

  @Test
  void aTokenComesFromTheEnvironmentOrAFilesFirstLine() throws IOException {
    assertThat(Tokens.read(new Credential.Environment("T"), Map.of("T", " abc-1 ")))
        .contains("abc-1");
    assertThat(Tokens.read(file("abc-2\nwhat it is for\n"))).contains("abc-2");
    assertThat(Tokens.read(file("abc-3"))).contains("abc-3");
    assertThat(Tokens.read(new Credential.None())).isEmpty();
  }

  @Test
  void aReplacedFileCountsAtOnce() throws IOException {
    Credential.InFile token = file("old-1");
    assertThat(Tokens.read(token)).contains("old-1");
    Files.writeString(token.file(), "new-2\n");

    assertThat(Tokens.read(token)).contains("new-2");
  }

  @Test
  void aMissingOrBlankOneNamesItsPlaceAndTheFix() throws IOException {
    assertThat(refusal(new Credential.Environment("TRACKER_TOKEN"), Map.of()))
        .contains("TRACKER_TOKEN", "set it");
    assertThat(refusal(new Credential.Environment("TRACKER_TOKEN"), Map.of("TRACKER_TOKEN", " ")))
        .contains("TRACKER_TOKEN");
    assertThat(refusal(file("\nabc"), Map.of())).contains("token-", "first line");
    assertThat(refusal(file(""), Map.of())).contains("token-");
    assertThat(refusal(new Credential.InFile(folder.resolve("absent")), Map.of()))
        .contains("absent");
    assertThat(refusal(new Credential.InFile(folder), Map.of())).contains(folder.toString());
  }

  @Test
  void whatCannotBeAHeaderIsRefusedWithoutQuotingIt() throws IOException {
    for (String odd : new String[] {"ab cd", "ab\tcd", "abcd\u00fc", "abcd\u0007"}) {
      assertThat(refusal(file(odd), Map.of())).contains("token-").doesNotContain("ab");
      assertThat(refusal(new Credential.Environment("T"), Map.of("T", odd))).doesNotContain("abcd");
    }
    assertThat(refusal(new Credential.Environment("T"), Map.of("T", "ab\ncd")))
        .contains("line break");
    assertThat(refusal(file("x".repeat(10_000)), Map.of())).contains("too long");
  }

  private Credential.InFile file(String content) throws IOException {
    Path file =
        Files.createTempFile(
            folder,
            "token-",
            "",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return new Credential.InFile(Files.writeString(file, content));
  }

  private static String refusal(Credential token, Map<String, String> environment) {
    TrackerFailure failure = failureOf(() -> Tokens.read(token, environment));
    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.AUTH);
    return failure.reason();
  }
}
