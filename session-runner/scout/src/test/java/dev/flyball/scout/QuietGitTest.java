package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.api.errors.GitAPIException;
import org.eclipse.jgit.transport.UsernamePasswordCredentialsProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Git without configuration")
final class QuietGitTest {

  @Test
  @DisplayName("a question to a server follows no redirect: it could lead the token to another one")
  void redirectsAreNotFollowed() throws Exception {
    QuietGit.install();
    try (FaultServer other = FaultServer.http();
        FaultServer server = FaultServer.http()) {
      server.otherwise(request -> FaultReply.redirect(302, other.url() + request.target()));
      var question =
          Git.lsRemoteRepository()
              .setRemote(server.url() + "/repo")
              .setCredentialsProvider(new UsernamePasswordCredentialsProvider("user", "s3cret"));

      assertThatThrownBy(question::call).isInstanceOf(GitAPIException.class);
      assertThat(server.requests()).isNotEmpty();
      assertThat(other.requests()).isEmpty();
    }
  }
}
