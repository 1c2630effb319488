package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The mirror of a repository by URL")
final class MirrorTest {
  @TempDir private Path folder = Path.of("");
  private final SettableClock clock = new SettableClock();
  @AutoClose private Origin origin;

  @BeforeEach
  void aRepository() throws Exception {
    origin = Origin.in(folder.resolve("origin"));
    origin.commit("one");
  }

  @Test
  void itFollowsANamedBranchThatIsSetBack() throws Exception {
    origin.git().branchCreate().setName("release/1").call();
    String first = origin.commitOf("main");
    origin.commit("two");
    origin.git().branchCreate().setName("release/1").setForce(true).setStartPoint("main").call();
    Mirror mirror = mirror(Optional.of("release/1"), Origin.LIMITS);
    assertThat(mirror.fetched()).isEmpty();
    origin.git().branchCreate().setName("release/1").setForce(true).setStartPoint(first).call();

    assertThat(mirror.fetched()).isEmpty();
    assertThat(Origin.head(mirror)).isEqualTo(first);
  }

  @Test
  @DisplayName("fifty commits are fetched, not the whole history, and fifty when it goes on")
  void itHasTheNewestHistory() throws Exception {
    for (int i = 0; i < 60; i++) {
      origin.commit("commit " + i);
    }
    Mirror mirror = mirror(Optional.empty(), Origin.LIMITS);
    for (String next : List.of("one more", "and one")) {
      origin.commit(next);
      assertThat(mirror.fetched()).isEmpty();

      try (Repository made = Origin.opened(mirror);
          Git git = new Git(made)) {
        assertThat(git.log().add(made.resolve(Origin.head(mirror))).call()).hasSize(50);
      }
    }
  }

  @Test
  @DisplayName("a server that vanished: the last state and its age are kept, over a restart too")
  void theLastGoodStateIsKept() throws Exception {
    assertThat(mirror(Optional.empty(), Origin.LIMITS).fetched()).isEmpty();
    Mirror mirror = mirror(Optional.empty(), Origin.LIMITS);
    String last = Origin.head(mirror);
    Files.move(origin.folder(), folder.resolve("gone"));
    clock.advance(Duration.ofHours(3));

    assertThat(mirror.fetched())
        .hasValueSatisfying(
            note -> assertThat(note).contains(SettableClock.START.toString(), "3h"));
    assertThat(Origin.head(mirror)).isEqualTo(last);
    assertThat(mirror.trouble())
        .hasValueSatisfying(why -> assertThat(why).contains("3h", origin.url()));

    Files.move(folder.resolve("gone"), origin.folder());
    assertThat(mirror.fetched()).isEmpty();
    assertThat(mirror.trouble()).isEmpty();
  }

  @Test
  @DisplayName("a source without the token is not shown what another one's token fetched")
  void aMirrorBelongsToItsToken() throws Exception {
    assertThat(mirror(Optional.empty(), Origin.LIMITS).fetched()).isEmpty();
    Mirror other =
        mirror(origin.url(), new RepositoryToken("NO_SUCH_VARIABLE", null), Origin.LIMITS);

    assertThatThrownBy(other::fetched)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("NO_SUCH_VARIABLE");
  }

  @Test
  void withoutAnyStateThereIsNoSession() {
    Mirror mirror =
        mirror(folder.resolve("nowhere").toUri().toString(), RepositoryToken.NONE, Origin.LIMITS);

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
    Files.writeString(origin.folder().resolve("large"), "x".repeat(100_000));
    origin.commit("large");
    var limits =
        new MirrorLimits(Duration.ofSeconds(20), Duration.ofMinutes(1), Duration.ofSeconds(10), 10);
    Mirror mirror = mirror(Optional.empty(), limits);

    assertThatThrownBy(mirror::fetched).hasMessageContaining("sessions.fetch.size");
  }

  @Test
  @DisplayName("a redirect is not followed: it could lead the token to another server")
  void redirectsAreNotFollowed() throws Exception {
    try (FaultServer other = FaultServer.http();
        FaultServer server = FaultServer.http()) {
      server.otherwise(request -> FaultReply.redirect(302, other.url() + request.target()));
      Mirror mirror = mirror(server.url() + "/repo", RepositoryToken.NONE, Origin.LIMITS);

      assertThatThrownBy(mirror::fetched).isInstanceOf(IOException.class);
      assertThat(other.requests()).isEmpty();
    }
  }

  @Test
  @DisplayName("what a killed fetch left behind does not keep the next one out")
  void leftLocksAreRemoved() throws Exception {
    Mirror mirror = mirror(Optional.empty(), Origin.LIMITS);
    assertThat(mirror.fetched()).isEmpty();
    Files.writeString(mirror.folder().resolve("refs/heads/fetched.lock"), "");
    Files.writeString(mirror.folder().resolve("shallow.lock"), "");
    Files.writeString(mirror.folder().resolve("objects/incoming_1.pack"), "half");
    String moved = origin.commit("two");

    assertThat(mirror.fetched()).isEmpty();
    assertThat(Origin.head(mirror)).isEqualTo(moved);
    assertThat(mirror.folder().resolve("objects/incoming_1.pack")).doesNotExist();
  }

  @Test
  void sessionsThatStartTogetherShareAFetch() throws Exception {
    Mirror mirror = mirror(Optional.empty(), Origin.LIMITS);
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
    Mirror mirror = mirror(Optional.empty(), Origin.LIMITS);
    for (int i = 0; i < 60; i++) {
      origin.commit("commit " + i);
      assertThat(mirror.fetched()).isEmpty();
    }
    try (Stream<Path> packs = Files.list(mirror.folder().resolve("objects/pack"))) {
      assertThat(packs.filter(file -> file.toString().endsWith(".pack"))).hasSizeLessThan(45);
    }
    assertThat(Origin.head(mirror)).isEqualTo(origin.commitOf("main"));
  }

  private Mirror mirror(Optional<String> branch, MirrorLimits limits) {
    return mirror(Origin.server(origin.url(), branch, RepositoryToken.NONE, limits));
  }

  private Mirror mirror(String url, RepositoryToken token, MirrorLimits limits) {
    return mirror(Origin.server(url, Optional.empty(), token, limits));
  }

  private Mirror mirror(GitServer server) {
    return new Mirror(folder.resolve("mirrors"), server, clock);
  }
}
