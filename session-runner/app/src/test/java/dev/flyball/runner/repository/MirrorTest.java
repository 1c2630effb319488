package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.scout.QuietGit;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.SettableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The mirror of a repository by URL")
final class MirrorTest {
  private static final MirrorLimits LIMITS =
      new MirrorLimits(
          Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(10), 1 << 30);

  @TempDir private Path folder = Path.of("");
  private final SettableClock clock = new SettableClock();
  private Path origin = Path.of("");
  private String url = "";
  private Git git;

  @BeforeEach
  void aRepository() throws Exception {
    QuietGit.install();
    origin = folder.resolve("origin");
    git = Git.init().setDirectory(origin.toFile()).setInitialBranch("main").call();
    url = origin.toUri().toString();
    commit("one");
  }

  @AfterEach
  void close() {
    git.close();
  }

  @Test
  void itFollowsTheServersDefaultBranch() throws Exception {
    Mirror mirror = mirror(Optional.empty(), LIMITS);

    assertThat(mirror.fetched()).isEmpty();
    assertThat(head(mirror)).isEqualTo(commitOf("main"));
    String moved = commit("two");
    assertThat(mirror.fetched()).isEmpty();
    assertThat(head(mirror)).isEqualTo(moved);
  }

  @Test
  void itFollowsANamedBranchThatIsSetBack() throws Exception {
    git.branchCreate().setName("release/1").call();
    String first = commitOf("main");
    commit("two");
    git.branchCreate().setName("release/1").setForce(true).setStartPoint("main").call();
    Mirror mirror = mirror(Optional.of("release/1"), LIMITS);
    assertThat(mirror.fetched()).isEmpty();
    git.branchCreate().setName("release/1").setForce(true).setStartPoint(first).call();

    assertThat(mirror.fetched()).isEmpty();
    assertThat(head(mirror)).isEqualTo(first);
  }

  @Test
  @DisplayName("no history is fetched: a mirror has the size of the newest tree")
  void itHasNoHistory() throws Exception {
    String first = commitOf("main");
    commit("two");
    Mirror mirror = mirror(Optional.empty(), LIMITS);
    assertThat(mirror.fetched()).isEmpty();

    try (Repository made = opened(mirror)) {
      assertThat(made.getObjectDatabase().has(git.getRepository().resolve(first))).isFalse();
    }
  }

  @Test
  @DisplayName("a server that vanished: the last good state is read, and its age is named")
  void theLastGoodStateIsKept() throws Exception {
    Mirror mirror = mirror(Optional.empty(), LIMITS);
    assertThat(mirror.fetched()).isEmpty();
    String last = head(mirror);
    Files.move(origin, folder.resolve("gone"));
    clock.advance(Duration.ofHours(3));

    assertThat(mirror.fetched())
        .hasValueSatisfying(
            note -> assertThat(note).contains(SettableClock.START.toString(), "3h"));
    assertThat(head(mirror)).isEqualTo(last);
    assertThat(mirror.trouble()).hasValueSatisfying(why -> assertThat(why).contains("3h", url));

    Files.move(folder.resolve("gone"), origin);
    assertThat(mirror.fetched()).isEmpty();
    assertThat(mirror.trouble()).isEmpty();
  }

  @Test
  @DisplayName("the age is that of the last good fetch, also after a restart")
  void theAgeSurvivesARestart() throws Exception {
    assertThat(mirror(Optional.empty(), LIMITS).fetched()).isEmpty();
    Files.move(origin, folder.resolve("gone"));
    clock.advance(Duration.ofDays(2));

    assertThat(mirror(Optional.empty(), LIMITS).fetched())
        .hasValueSatisfying(note -> assertThat(note).contains("2d"));
  }

  @Test
  @DisplayName("a source without the token is not shown what another one's token fetched")
  void aMirrorBelongsToItsToken() throws Exception {
    assertThat(mirror(Optional.empty(), LIMITS).fetched()).isEmpty();
    Mirror other = mirror(url, new RepositoryToken("NO_SUCH_VARIABLE", null), LIMITS);

    assertThatThrownBy(other::fetched)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("NO_SUCH_VARIABLE");
  }

  @Test
  void withoutAnyStateThereIsNoSession() {
    Mirror mirror =
        mirror(folder.resolve("nowhere").toUri().toString(), RepositoryToken.NONE, LIMITS);

    assertThatThrownBy(mirror::fetched)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nowhere");
    assertThat(mirror.trouble()).isPresent();
  }

  @Test
  @DisplayName("a server that accepts and never answers ends the wait by its silence")
  void aSilentServerIsGivenUp() throws Exception {
    var limits =
        new MirrorLimits(
            Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(1), 1 << 30);
    try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Mirror mirror =
          mirror(
              "http://127.0.0.1:" + server.getLocalPort() + "/repo", RepositoryToken.NONE, limits);

      assertThatThrownBy(mirror::fetched).isInstanceOf(IOException.class);
    }
  }

  @Test
  @DisplayName("a server that sends a byte at a time ends with the limit of a fetch")
  void aDrippingServerIsGivenUp() throws Exception {
    var limits =
        new MirrorLimits(
            Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(10), 1 << 30);
    try (FaultServer server = FaultServer.http()) {
      server.otherwise(request -> new FaultReply.Dripping());
      Mirror mirror = mirror(server.url() + "/repo", RepositoryToken.NONE, limits);
      assertThatThrownBy(mirror::fetched).isInstanceOf(IOException.class);

      await()
          .until(() ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().equals("fetch") && thread.isAlive()));
    }
  }

  @Test
  void aMirrorThatIsTooLargeIsNotRead() throws Exception {
    Files.writeString(origin.resolve("large"), "x".repeat(100_000));
    commit("large");
    var limits =
        new MirrorLimits(Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(10), 10);
    Mirror mirror = mirror(Optional.empty(), limits);

    assertThatThrownBy(mirror::fetched).hasMessageContaining("sessions.fetch.size");
  }

  @Test
  @DisplayName("the token goes to the server that asks for it, and into no file")
  void theTokenIsSentWhenAsked() throws Exception {
    Path secret = Files.writeString(folder.resolve("token"), "s3cret-token\n");
    try (FaultServer server = FaultServer.http()) {
      server.otherwise(
          request -> FaultReply.status(401, Map.of("WWW-Authenticate", "Basic realm=\"git\"")));
      Mirror mirror = mirror(server.url() + "/repo", new RepositoryToken(null, secret), LIMITS);

      assertThatThrownBy(mirror::fetched)
          .hasMessageContaining("repo-token-env")
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
      assertThat(server.requests().getFirst().headers()).doesNotContainKey("authorization");
      assertThat(server.requests().getLast().headers()).containsKey("authorization");
      assertThat(texts(mirror.folder())).noneMatch(text -> text.contains("s3cret"));
    }
  }

  @Test
  @DisplayName("a redirect is not followed: it could lead the token to another server")
  void redirectsAreNotFollowed() throws Exception {
    try (FaultServer other = FaultServer.http();
        FaultServer server = FaultServer.http()) {
      server.otherwise(request -> FaultReply.redirect(302, other.url() + request.target()));
      Mirror mirror = mirror(server.url() + "/repo", RepositoryToken.NONE, LIMITS);

      assertThatThrownBy(mirror::fetched).isInstanceOf(IOException.class);
      assertThat(other.requests()).isEmpty();
    }
  }

  @Test
  @DisplayName("what a killed fetch left behind does not keep the next one out")
  void leftLocksAreRemoved() throws Exception {
    Mirror mirror = mirror(Optional.empty(), LIMITS);
    assertThat(mirror.fetched()).isEmpty();
    Files.writeString(mirror.folder().resolve("refs/heads/fetched.lock"), "");
    Files.writeString(mirror.folder().resolve("shallow.lock"), "");
    Files.writeString(mirror.folder().resolve("objects/incoming_1.pack"), "half");
    String moved = commit("two");

    assertThat(mirror.fetched()).isEmpty();
    assertThat(head(mirror)).isEqualTo(moved);
    assertThat(mirror.folder().resolve("objects/incoming_1.pack")).doesNotExist();
  }

  @Test
  void sessionsThatStartTogetherShareAFetch() throws Exception {
    Mirror mirror = mirror(Optional.empty(), LIMITS);
    var results = new ArrayList<Future<Optional<String>>>();
    try (var sessions = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < 8; i++) {
        results.add(sessions.submit((Callable<Optional<String>>) mirror::fetched));
      }
    }
    for (Future<Optional<String>> each : results) {
      assertThat(each.get()).isEmpty();
    }
  }

  @Test
  @DisplayName("many commits later the mirror has a bounded number of packs")
  void oldCommitsAreRemoved() throws Exception {
    Mirror mirror = mirror(Optional.empty(), LIMITS);
    for (int i = 0; i < 60; i++) {
      commit("commit " + i);
      assertThat(mirror.fetched()).isEmpty();
    }
    try (Stream<Path> packs = Files.list(mirror.folder().resolve("objects/pack"))) {
      assertThat(packs.filter(file -> file.toString().endsWith(".pack"))).hasSizeLessThan(45);
    }
    assertThat(head(mirror)).isEqualTo(commitOf("main"));
  }

  private Mirror mirror(Optional<String> branch, MirrorLimits limits) {
    var address = new RepositoryAddress.Url(url);
    return new Mirror(
        folder.resolve("mirrors"),
        new RemoteBranch(address, branch, RepositoryToken.NONE),
        limits,
        Map.of(),
        clock);
  }

  private Mirror mirror(String url, RepositoryToken token, MirrorLimits limits) {
    return new Mirror(
        folder.resolve("mirrors"),
        new RemoteBranch(new RepositoryAddress.Url(url), Optional.empty(), token),
        limits,
        Map.of(),
        clock);
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

  private String commitOf(String branch) throws IOException {
    return Objects.requireNonNull(git.getRepository().resolve("refs/heads/" + branch)).name();
  }

  private static String head(Mirror mirror) throws IOException {
    try (Repository made = opened(mirror)) {
      return Objects.requireNonNull(made.resolve("refs/heads/fetched")).name();
    }
  }

  private static Repository opened(Mirror mirror) throws IOException {
    return new FileRepositoryBuilder().setGitDir(mirror.folder().toFile()).setBare().build();
  }

  private static List<String> texts(Path folder) throws IOException {
    var texts = new ArrayList<String>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        texts.add(Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
      }
    }
    return texts;
  }
}
