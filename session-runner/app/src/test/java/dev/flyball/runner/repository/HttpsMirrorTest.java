package dev.flyball.runner.repository;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.scout.QuietGit;
import dev.flyball.testkit.FaultTls;
import dev.flyball.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

@DisplayName("The mirror of a private repository over https")
@ResourceLock("HttpsURLConnection.defaultSSLSocketFactory")
final class HttpsMirrorTest {
  private static final String TOKEN = "s3cret-token";
  private static final MirrorLimits LIMITS =
      new MirrorLimits(
          Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(10), 1 << 30);

  @TempDir private Path folder = Path.of("");
  private final SSLSocketFactory usual = HttpsURLConnection.getDefaultSSLSocketFactory();
  private Git git;
  private Path origin = Path.of("");
  private SSLContext tls;

  @BeforeEach
  void aServerWithACertificateThatIsTrusted() throws Exception {
    QuietGit.install();
    origin = folder.resolve("origin");
    git = Git.init().setDirectory(origin.toFile()).setInitialBranch("main").call();
    FaultTls authority =
        FaultTls.authority(Files.createDirectory(folder.resolve("keys")), "authority");
    tls = authority.issued("ip:127.0.0.1", FaultTls.SINCE_AN_HOUR);
    HttpsURLConnection.setDefaultSSLSocketFactory(authority.trusted().getSocketFactory());
  }

  @AfterEach
  void close() {
    HttpsURLConnection.setDefaultSSLSocketFactory(usual);
    git.close();
  }

  @Test
  @DisplayName("it follows the branch with the token, which is in no file")
  void itIsFetchedWithItsToken() throws Exception {
    String first = commit("one");
    try (GitHttps server = GitHttps.of(origin, TOKEN, tls)) {
      Mirror mirror = mirror(server, TOKEN);

      assertThat(mirror.fetched()).isEmpty();
      assertThat(head(mirror)).isEqualTo(first);
      String moved = commit("two");
      assertThat(mirror.fetched()).isEmpty();
      assertThat(head(mirror)).isEqualTo(moved);
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
    commit("one");
    try (GitHttps server = GitHttps.of(origin, TOKEN, tls)) {
      assertThatThrownBy(mirror(server, "another")::fetched)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("repo-token-env");
    }
  }

  @Test
  @DisplayName("a certificate of an unknown authority ends the fetch before the token is sent")
  void anUnknownCertificateGetsNoToken() throws Exception {
    commit("one");
    HttpsURLConnection.setDefaultSSLSocketFactory(usual);
    try (GitHttps server = GitHttps.of(origin, TOKEN, tls)) {
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
        new RemoteBranch(
            new RepositoryAddress.Url(server.url()),
            Optional.empty(),
            new RepositoryToken(null, file)),
        LIMITS,
        Map.of(),
        new SettableClock());
  }

  private String commit(String text) throws Exception {
    Files.writeString(origin.resolve("file"), text);
    git.add().addFilepattern(".").call();
    return git.commit()
        .setMessage(text)
        .setAuthor("a", "a@example")
        .setCommitter("a", "a@example")
        .setSign(false)
        .call()
        .name();
  }

  private static String head(Mirror mirror) throws IOException {
    try (Repository made =
        new FileRepositoryBuilder().setGitDir(mirror.folder().toFile()).setBare().build()) {
      return Objects.requireNonNull(made.resolve("refs/heads/fetched")).name();
    }
  }
}
