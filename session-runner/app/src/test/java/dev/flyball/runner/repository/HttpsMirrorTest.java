package dev.flyball.runner.repository;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.testkit.FaultTls;
import dev.flyball.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@DisplayName("The mirror of a private repository over https")
@ResourceLock("HttpsURLConnection.defaultSSLSocketFactory")
final class HttpsMirrorTest {
  private static final String TOKEN = "s3cret-token";
  @TempDir private Path folder = Path.of("");
  private static SSLContext trusted;
  private static SSLContext tls;
  private final SSLSocketFactory usual = HttpsURLConnection.getDefaultSSLSocketFactory();
  private Origin origin;

  @BeforeAll
  static void aCertificateOfAnAuthority(@TempDir Path keys) throws Exception {
    FaultTls authority = FaultTls.authority(keys, "authority");
    trusted = authority.trusted();
    tls = authority.issued("ip:127.0.0.1", FaultTls.SINCE_AN_HOUR);
  }

  @BeforeEach
  void aServerThatIsTrusted() throws Exception {
    origin = Origin.in(folder.resolve("origin"));
    HttpsURLConnection.setDefaultSSLSocketFactory(trusted.getSocketFactory());
  }

  @AfterEach
  void close() {
    HttpsURLConnection.setDefaultSSLSocketFactory(usual);
    origin.close();
  }

  @Test
  @DisplayName("it follows the branch with the token, which is in no file")
  void itIsFetchedWithItsToken() throws Exception {
    String first = origin.commit("one");
    try (GitHttps server = GitHttps.of(origin.folder(), TOKEN, tls)) {
      Mirror mirror = mirror(server, TOKEN);

      assertThat(mirror.fetched()).isEmpty();
      assertThat(Origin.head(mirror)).isEqualTo(first);
      String moved = origin.commit("two");
      assertThat(mirror.fetched()).isEmpty();
      assertThat(Origin.head(mirror)).isEqualTo(moved);
      assertThat(server.refused()).as("the token is sent when it is asked for").isPositive();
      try (var files = Files.walk(mirror.folder())) {
        assertThat(files.filter(Files::isRegularFile))
            .isNotEmpty()
            .allSatisfy(
                file -> assertThat(Files.readString(file, ISO_8859_1)).doesNotContain(TOKEN));
      }
    }
  }

  @Test
  void aWrongTokenIsNamedWithTheFix() throws Exception {
    origin.commit("one");
    try (GitHttps server = GitHttps.of(origin.folder(), TOKEN, tls)) {
      assertThatThrownBy(mirror(server, "another")::fetched)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("repo-token-env");
    }
  }

  @Test
  @DisplayName("a certificate of an unknown authority ends the fetch before the token is sent")
  void anUnknownCertificateGetsNoToken() throws Exception {
    origin.commit("one");
    HttpsURLConnection.setDefaultSSLSocketFactory(usual);
    try (GitHttps server = GitHttps.of(origin.folder(), TOKEN, tls)) {
      assertThatThrownBy(mirror(server, TOKEN)::fetched)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(server.url());
      assertThat(server.refused()).as("no request arrived").isZero();
    }
  }

  private Mirror mirror(GitHttps server, String token) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), token + "\n");
    return new Mirror(
        folder.resolve("mirrors"),
        Origin.server(
            server.url(), Optional.empty(), new RepositoryToken(null, file), Origin.LIMITS),
        new SettableClock());
  }
}
