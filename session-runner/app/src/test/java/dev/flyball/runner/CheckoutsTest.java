package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.runner.repository.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutsTest {
  @TempDir Path folder;
  private Path repository;
  private Path trees;
  private Origin origin;

  @BeforeEach
  void aRepositoryWithTwoBranches() throws Exception {
    repository = folder.resolve("product");
    trees = folder.resolve("data/checkouts/acme/web");
    origin = Origin.in(repository);
    commit("on main");
    origin.git().checkout().setCreateBranch(true).setName("release/1").call();
    commit("released");
    origin.git().checkout().setName("main").call();
  }

  @AfterEach
  void close() {
    origin.close();
  }

  @Test
  void theTreeIsThatOfTheBranchAndNotOfTheFolder() throws Exception {
    Path tree = checkouts("release/1").enter();

    assertThat(tree.resolve("src/Search.java")).hasContent("released");
    assertThat(repository.resolve("src/Search.java")).hasContent("on main");
    assertThat(tree).hasFileName(origin.commitOf("release/1"));
  }

  @Test
  void theTreeIsASeparateRepositoryAtTheBranchesCommit() throws Exception {
    Path tree = checkouts("release/1").enter();

    try (Repository made =
        new FileRepositoryBuilder().setGitDir(tree.resolve(".git").toFile()).build()) {
      assertThat(Objects.requireNonNull(made.resolve("HEAD")).name())
          .isEqualTo(origin.commitOf("release/1"));
      assertThat(made.readDirCache().getEntryCount()).isEqualTo(1);
    }
    try (Git made = Git.open(tree.toFile())) {
      assertThat(made.status().call().isClean()).isTrue();
    }
  }

  @Test
  void aBranchThatMovesPullsNoFileFromUnderASession() throws Exception {
    Checkouts checkouts = checkouts("main");
    Path before = checkouts.enter();
    commit("moved on");

    Path after = checkouts.enter();

    assertThat(before.resolve("src/Search.java")).hasContent("on main");
    assertThat(after.resolve("src/Search.java")).hasContent("moved on");
  }

  @Test
  void anUnusedTreeIsDeletedWithTheNextCommit() throws Exception {
    Checkouts checkouts = checkouts("main");
    Path one = checkouts.enter();
    assertThat(checkouts.enter()).as("two sessions of one commit share it").isEqualTo(one);
    checkouts.leave(one);
    commit("two");
    Path two = checkouts.enter();
    assertThat(one).as("one session still works there").exists();

    checkouts.leave(one);
    commit("three");
    Path three = checkouts.enter();

    assertThat(there()).containsExactlyInAnyOrder(two, three);
  }

  @Test
  void halfATreeOfACrashAndTreesOfAnEarlierRunnerGo() throws Exception {
    Files.createDirectories(trees.resolve("making-x/src"));
    Path earlier = checkouts("release/1").enter();

    Path now = checkouts("main").enter();

    assertThat(earlier).doesNotExist();
    assertThat(there()).containsExactly(now);
  }

  @Test
  void aTreeThatIsThereIsNotWrittenAgain() throws Exception {
    Path tree = checkouts("main").enter();
    Path mark = Files.writeString(tree.resolve("mark"), "");

    assertThat(checkouts("main").enter()).isEqualTo(tree);
    assertThat(mark).exists();
  }

  @Test
  void theBranchOfTheRemoteCountsWhereThereIsNoneOfThatName() throws Exception {
    Path clone = folder.resolve("clone");
    try (Git _ =
        Git.cloneRepository()
            .setURI(repository.toUri().toString())
            .setDirectory(clone.toFile())
            .call()) {
      assertThat(new Checkouts(trees, clone, "release/1").enter().resolve("src/Search.java"))
          .hasContent("released");
    }
  }

  @Test
  void anImpossibleCheckoutIsReportedInOneLine() throws IOException {
    assertThatThrownBy(() -> checkouts("nowhere").enter())
        .isInstanceOf(IOException.class)
        .hasMessage(repository + " has no branch nowhere; create it, or fetch it");
    Path none = Files.createDirectory(folder.resolve("none"));
    assertThatThrownBy(() -> new Checkouts(trees, none, "main").enter())
        .isInstanceOf(IOException.class)
        .hasMessage(none + " is in no git repository, so it has no branch main");
  }

  @Test
  @DisplayName(
      "whatever an agent made in its tree is removed: closed folders, paths too long for the"
          + " system")
  void aTreeIsRemovedWhateverIsInIt() throws Exception {
    Path tree = checkouts("main").enter();
    Path shut = Files.createDirectories(tree.resolve("shut/inside"));
    Files.writeString(shut.resolve("file"), "");
    Files.setPosixFilePermissions(shut.getParent(), PosixFilePermissions.fromString("---------"));
    Process deep =
        new ProcessBuilder("perl", "-e", "for (1 .. 60) { mkdir $d = 'd' x 200; chdir $d }")
            .directory(tree.toFile())
            .start();
    assertThat(deep.waitFor()).isZero();

    Checkouts.remove(tree);

    assertThat(tree).doesNotExist();
  }

  private Checkouts checkouts(String branch) {
    return new Checkouts(trees, repository, branch);
  }

  private void commit(String text) throws Exception {
    origin.commit("src/Search.java", text);
  }

  private Stream<Path> there() throws IOException {
    try (Stream<Path> files = Files.list(trees)) {
      return files.toList().stream();
    }
  }
}
