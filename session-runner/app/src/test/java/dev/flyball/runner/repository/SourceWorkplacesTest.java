package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Failure;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.Workplaces;
import dev.flyball.runner.repository.Repositories.OfSource;
import dev.flyball.testkit.SettableClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Before a runner's first session")
final class SourceWorkplacesTest {
  @TempDir private Path folder = Path.of("");
  private Path data = Path.of("");
  private Path origin = Path.of("");

  @BeforeEach
  void aRepository() throws Exception {
    data = Files.createDirectories(folder.resolve("data"));
    origin = folder.resolve("origin");
    try (Origin made = Origin.in(origin)) {
      made.commit("file", "one");
    }
  }

  @Test
  @DisplayName(
      "each repository by URL is fetched; a mirror whose repository is not configured any more is"
          + " removed")
  void anUnknownMirrorIsRemoved() throws IOException {
    Path old = Files.createDirectories(data.resolve("mirrors/0123456789abcdef0123.git/objects"));

    workplaces().prepare();

    assertThat(old.getParent()).doesNotExist();
    awaitFetched(data);
  }

  @Test
  @DisplayName("a repository that is missing is a fault of its source")
  void aMissingRepository() {
    assertThat(fault(OfSource.in(folder.resolve("gone"), null))).isEqualTo(Failure.REPOSITORY);
    assertThat(fault(OfSource.in(origin, "no-such-branch"))).isEqualTo(Failure.REPOSITORY);
    assertThat(fault(OfSource.in(data, "main"))).as("no git").isEqualTo(Failure.REPOSITORY);
  }

  @Test
  @DisplayName("a runner's folder that takes no file is a fault of the runner")
  void aFolderThatTakesNothing() throws IOException {
    Checkouts.remove(data);
    Files.createFile(data);

    assertThat(fault(OfSource.in(origin, "main"))).isEqualTo(Failure.DATA_FOLDER);
  }

  @Test
  @DisplayName("a user of agents that the machine does not have is a fault of its own")
  void aMissingUser() throws IOException {
    assertThat(fault(OfSource.in(origin, null), Optional.of("no-such-user")))
        .isEqualTo(Failure.AGENT_USER);
    assertThat(data.resolve("tmp")).isEmptyDirectory();
  }

  private String fault(OfSource own) {
    return fault(own, Optional.empty());
  }

  private String fault(OfSource own, Optional<String> user) {
    var all = workplaces(own, data, user);
    return catchThrowableOfType(
            Workplaces.NoWorkplace.class,
            () -> all.enter(ItemKey.parse("acme/web/1"), null, _ -> {}))
        .code();
  }

  @Test
  @DisplayName("temporary files of a session are removed with it, and after a crash at the start")
  void temporaryFilesAreRemoved() throws IOException {
    SourceWorkplaces places = workplaces();
    places.prepare();
    awaitFetched(data);
    Workplaces.Workplace one = places.enter(ItemKey.parse("default/items/1"), null, _ -> {});
    Workplaces.Workplace other = places.enter(ItemKey.parse("default/items/2"), null, _ -> {});
    Path own = Objects.requireNonNull(one.temporary());
    Path foreign = Objects.requireNonNull(other.temporary());
    Files.createDirectories(own.resolve("scratch/deep"));
    Files.writeString(foreign.resolve("left"), "by a session that a kill -9 ended");
    assertThat(own).isNotEqualTo(foreign).hasParent(foreign.getParent());

    one.leave().run();

    assertThat(own).doesNotExist();
    assertThat(foreign).exists();
    Files.delete(mirrors(data).getFirst().resolve("flyball-fetched"));
    workplaces().prepare();
    assertThat(foreign).doesNotExist();
    awaitFetched(data);
  }

  private SourceWorkplaces workplaces() {
    return workplaces(Origin.byUrl(origin), data, Optional.empty());
  }

  /** Those of a runner whose sources all have this repository. */
  static SourceWorkplaces workplaces(OfSource own, Path data, Optional<String> user) {
    return new SourceWorkplaces(
        new Repositories(own, Map.of(), MirrorLimits.DEFAULT),
        data,
        new ElapsedClock(),
        new SettableClock(),
        Map.of(),
        user);
  }

  /** Its last step; a fetch that goes on would write into a folder that is being deleted. */
  static void awaitFetched(Path data) {
    await()
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(() ->
            mirrors(data).size() == 1
                && Files.exists(mirrors(data).getFirst().resolve("flyball-fetched")));
  }

  private static List<Path> mirrors(Path data) throws IOException {
    try (Stream<Path> there = Files.list(data.resolve("mirrors"))) {
      return there.toList();
    }
  }
}
