package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.flyball.runner.repository.RepositoryAddress.Folder;
import dev.flyball.runner.repository.RepositoryAddress.Url;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jgit.transport.URIish;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The address of a repository")
final class RepositoryAddressTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://github.com/org/repo.git",
        "ssh://git@example.org:2222/org/repo",
        "file:///srv/repo.git",
        "http://localhost:3000/repo"
      })
  void aUrlIsMirrored(String url) {
    assertThat(RepositoryAddress.parse(url)).isEqualTo(new Url(url));
  }

  @ParameterizedTest
  @ValueSource(strings = {".", "/src/product", "../a:b", "c"})
  void anythingElseIsAFolder(String path) {
    assertThat(RepositoryAddress.parse(path)).isEqualTo(new Folder(Path.of(path)));
  }

  @ParameterizedTest
  @DisplayName("a secret in the address is rejected, and no message repeats it")
  @ValueSource(
      strings = {
        "https://user:s3cret@example.org/repo",
        "https://s3cret@example.org/repo",
        "ssh://git:s3cret@example.org/repo",
        "https://example.org/repo?token=s3cret",
        "https://example.org/repo#s3cret",
        "https://user:s3 cret@example.org/repo"
      })
  void secretsAreRejected(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RepositoryAddress.parse(url))
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://example.org/repo",
        "git://example.org/repo",
        "ext::sh",
        "git@example.org:org/repo",
        "https:///repo",
        "file:///",
        " "
      })
  void whatCannotBeFetchedSafelyIsRejected(String url) {
    if (url.equals("ext::sh")) {
      assertThat(RepositoryAddress.parse(url)).as("never a transport").isInstanceOf(Folder.class);
    } else {
      assertThatIllegalArgumentException().isThrownBy(() -> RepositoryAddress.parse(url));
    }
  }

  @Test
  @DisplayName("ssh never asks, and a host cannot be an option")
  void sshAsksNothing() throws Exception {
    assertThat(
            SshProgram.command(
                new URIish("ssh://git@example.org:2222/repo"), Duration.ofSeconds(10)))
        .containsExactly(
            "ssh",
            "-T",
            "-oBatchMode=yes",
            "-oConnectTimeout=10",
            "-oServerAliveInterval=10",
            "-oServerAliveCountMax=1",
            "-p",
            "2222",
            "-l",
            "git",
            "--",
            "example.org");
  }

  @Test
  @DisplayName("ssh gets no token of the runner's")
  void sshGetsNoSecrets() {
    var environment =
        new HashMap<>(Map.of("PATH", "/bin", "SSH_AUTH_SOCK", "/run/agent", "GITHUB_TOKEN", "t"));

    SshProgram.withoutSecrets(environment);

    assertThat(environment).containsOnlyKeys("PATH", "SSH_AUTH_SOCK");
  }
}
