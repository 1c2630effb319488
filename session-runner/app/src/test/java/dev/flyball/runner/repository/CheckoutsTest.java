package dev.flyball.runner.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutsTest {
  @TempDir Path folder;
  private Path repository;
  private Path trees;
  @AutoClose private Origin origin;

  @BeforeEach
  void aRepositoryWithTwoBranches() throws Exception {
    repository = folder.resolve("product");
    trees = folder.resolve("data/worktrees/acme/web");
    origin = Origin.in(repository);
    commit("on main");
    origin.git().checkout().setCreateBranch(true).setName("release/1").call();
    commit("released");
    origin.git().checkout().setName("main").call();
  }

  @Test
  void theTreeIsThatOfTheBranchAndNotOfTheFolder() throws Exception {
    Path tree = tree("release/1");

    assertThat(tree.resolve("src/Search.java")).hasContent("released");
    assertThat(repository.resolve("src/Search.java")).hasContent("on main");
    assertThat(tree.getFileName().toString())
        .startsWith(origin.commitOf("release/1").substring(0, 12));
  }

  @Test
  void theTreeIsASeparateRepositoryAtTheBranchesCommit() throws Exception {
    Path tree = tree("release/1");

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
    Path before = tree("main");
    Path beside = tree("main");
    commit("moved on");

    assertThat(tree("main").resolve("src/Search.java")).hasContent("moved on");
    assertThat(before.resolve("src/Search.java")).hasContent("on main");
    assertThat(beside).as("what one agent writes is not read by another").isNotEqualTo(before);
  }

  @Test
  void theBranchOfTheRemoteCountsWhereThereIsNoneOfThatName() throws Exception {
    Path clone = folder.resolve("clone");
    try (Git _ =
        Git.cloneRepository()
            .setURI(repository.toUri().toString())
            .setDirectory(clone.toFile())
            .call()) {
      assertThat(tree(clone, "release/1").resolve("src/Search.java")).hasContent("released");
    }
  }

  @Test
  void anImpossibleCheckoutIsReportedInOneLine() throws IOException {
    assertThatThrownBy(() -> tree("nowhere"))
        .isInstanceOf(IOException.class)
        .hasMessage(repository + " has no branch nowhere; create it, or fetch it");
    Path none = Files.createDirectory(folder.resolve("none"));
    assertThatThrownBy(() -> tree(none, "main"))
        .isInstanceOf(IOException.class)
        .hasMessage(none + " is in no git repository, so it has no branch main");
  }

  @Test
  @DisplayName(
      "whatever an agent made in its tree is removed: closed folders, paths too long for the"
          + " system")
  void aTreeIsRemovedWhateverIsInIt() throws Exception {
    Path tree = tree("main");
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

  private Path tree(String branch) throws IOException {
    return tree(repository, branch);
  }

  private Path tree(Path from, String branch) throws IOException {
    return Checkouts.write(trees, from, Checkouts.commitOf(from, branch));
  }

  private void commit(String text) throws Exception {
    origin.commit("src/Search.java", text);
  }
}
