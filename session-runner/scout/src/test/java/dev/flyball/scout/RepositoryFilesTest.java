package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.transport.URIish;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepositoryFilesTest {
  @TempDir private Path root = Path.of("");
  @TempDir private Path outside = Path.of("");

  @Test
  void aFolderWithoutARepositoryIsListedByItsIgnoreFiles() throws IOException {
    Orchard.write(root, ".gitignore", "*.tmp\nsecret/\n");
    Orchard.write(root, "a/.gitignore", "!keep.tmp\n");
    Orchard.write(root, "a/keep.tmp", "x");
    Orchard.write(root, "a/drop.tmp", "x");
    Orchard.write(root, "secret/key.txt", "x");
    Orchard.write(root, "b.txt", "x");
    assertThat(paths()).containsExactly(".gitignore", "b.txt", "a/.gitignore", "a/keep.tmp");
    assertThat(RepositoryFiles.commitOf(root)).isNull();
  }

  @Test
  void buildOutputBinariesAndTheDataFolderAreNeverListed() throws IOException {
    for (String path :
        List.of(
            "target/x.txt",
            "m/target/x.txt",
            "build/x.txt",
            "node_modules/x.js",
            "dist/x.js",
            "out/x.txt",
            ".gradle/x",
            ".flyball/journal.txt",
            "work/state/x.txt",
            "logo.png",
            "lib/a.jar",
            ".git/config")) {
      Orchard.write(root, path, "x");
    }
    Orchard.write(root, "src/main/java/house/build/Plan.java", "class Plan {}");
    assertThat(paths(Path.of("work/state"))).containsExactly("src/main/java/house/build/Plan.java");
  }

  @Test
  @DisplayName("a repository says itself what its build output is: a folder bin may be source")
  void aFolderOfARepositoryIsSourceUnlessItIsIgnored() throws Exception {
    Git.init().setDirectory(root.toFile()).call().close();
    Orchard.write(root, ".gitignore", "/out/\n");
    Orchard.write(root, "bin/start", "x");
    Orchard.write(root, "out/x.txt", "x");

    assertThat(paths()).containsExactly(".gitignore", "bin/start");
  }

  @Test
  void eachTopLevelFolderHasItsTurnAndTheShallowOnesComeFirst() throws IOException {
    for (String path : List.of("aaa/1/x", "aaa/2/x", "aaa/x", "README", "zzz/x")) {
      Orchard.write(root, path, "x");
    }
    RepositoryFiles files = RepositoryFiles.open(root, List.of());
    var cut = new ArrayList<String>();
    var early = new ArrayList<String>();
    var turns = new int[] {1};

    assertThat(paths()).containsExactly("README", "aaa/x", "zzz/x", "aaa/1/x", "aaa/2/x");
    assertThat(files.list(cut::add, 3, () -> false)).isFalse();
    assertThat(cut).containsExactly("README", "aaa/x", "zzz/x");
    assertThat(files.list(early::add, 100, () -> turns[0]-- == 0)).isFalse();
    assertThat(early).containsExactly("README", "aaa/x");
  }

  @Test
  void aRepositoryNamesItsHead() throws Exception {
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      assertThat(RepositoryFiles.commitOf(root)).as("no commit yet").isNull();
      String head = commit(git, "a", "a.txt").name();
      assertThat(RepositoryFiles.commitOf(root)).isEqualTo(head);
    }
  }

  @Test
  @DisplayName("the newest commits of the files, without merges, each as one short line")
  void theHistoryOfFilesIsTheNewestCommitsThatTouchedThem() throws Exception {
    try (Git git = Git.init().setDirectory(root.toFile()).setInitialBranch("main").call()) {
      commit(git, "first", "in/a.txt", "in/b.txt");
      git.branchCreate().setName("side").call();
      commit(git, "other file", "c.txt");
      RevCommit hostile = commit(git, "\u001b[31m<b>\r\ttitle " + "x".repeat(200), "in/a.txt");
      git.checkout().setName("side").call();
      commit(git, "side", "in/b.txt");
      git.merge().include(hostile).setMessage("merge").setCommit(false).call();
      commit(git, "merge", "in/b.txt");

      assertThat(subjects(root, 9, "in/a.txt", "in/b.txt"))
          .containsExactlyInAnyOrder("first", "side", "[31m<b> title " + "x".repeat(86));
      assertThat(subjects(root.resolve("in"), 9, "b.txt")).containsExactly("side", "first");
      assertThat(subjects(root, 1, "in/b.txt")).containsExactly("side");
      assertThat(RepositoryFiles.commitsOf(root.toRealPath(), List.of("c.txt"), 1))
          .first()
          .asString()
          .matches("[0-9a-f]{10} [0-9]{4}-[0-9]{2}-[0-9]{2} other file");
    }
  }

  @Test
  @DisplayName("a commit that was fetched without its parents does not seem to touch every file")
  void theFirstCommitOfACutHistoryIsLeftOut() throws Exception {
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      String cut = commit(git, "cut", "a.txt").name();
      commit(git, "newer", "b.txt");
      Orchard.write(root, ".git/shallow", cut + "\n");
    }
    assertThat(subjects(root, 9, "a.txt", "b.txt")).containsExactly("newer");
    Files.delete(root.resolve(".git/shallow"));
    assertThat(subjects(root, 9, "a.txt")).containsExactly("cut");
    assertThat(subjects(outside, 9, "a.txt")).isEmpty();
  }

  @Test
  void ofTheRemotesUpstreamIsFirst() throws Exception {
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      for (String name : List.of("mine", "origin", "upstream")) {
        git.remoteAdd().setName(name).setUri(new URIish("https://forge/" + name)).call();
      }
    }
    assertThat(RepositoryFiles.remotesOf(root))
        .containsExactly("https://forge/upstream", "https://forge/origin", "https://forge/mine");
    assertThat(RepositoryFiles.remotesOf(outside)).isEmpty();
  }

  @Test
  void aDamagedRepositoryIsListedAsAFolder() throws IOException {
    Orchard.write(root, ".git/HEAD", "nonsense");
    Orchard.write(root, ".git/index", "nonsense");
    Orchard.write(root, ".git/config", "[core]\n");
    Files.createDirectories(root.resolve(".git/objects"));
    Files.createDirectories(root.resolve(".git/refs"));
    Orchard.write(root, "a.txt", "x");
    assertThat(paths()).containsExactly("a.txt");
    assertThat(RepositoryFiles.commitOf(root)).isNull();
  }

  @Test
  void nothingIsWrittenIntoTheRepository() throws Exception {
    Orchard.write(root, "a.txt", "x");
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      git.add().addFilepattern("a.txt").call();
    }
    Set<String> before = everything();
    paths();
    assertThat(RepositoryFiles.commitOf(root)).isNull();
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void linksLargeFilesAndBinariesAreNotRead() throws IOException {
    Orchard.write(outside, "secret.txt", "secret");
    Files.createSymbolicLink(root.resolve("link.txt"), outside.resolve("secret.txt"));
    Files.createSymbolicLink(root.resolve("folder"), outside);
    Files.write(root.resolve("large.txt"), new byte[101]);
    Files.write(root.resolve("binary"), new byte[] {'a', 0, 'b'});
    Orchard.write(root, "text.txt", "text");
    RepositoryFiles files = RepositoryFiles.open(root, List.of());
    assertThat(
            Stream.of("link.txt", "folder/secret.txt", "large.txt", "binary", "gone.txt")
                .map(path -> files.text(path, 100)))
        .allMatch(java.util.Optional::isEmpty);
    assertThat(files.text("text.txt", 100)).contains("text");
    assertThat(paths()).doesNotContain("link.txt", "folder/secret.txt");
    Files.delete(root.resolve("link.txt"));
    Files.delete(root.resolve("folder"));
  }

  private static List<String> subjects(Path folder, int most, String... paths) throws IOException {
    return RepositoryFiles.commitsOf(folder.toRealPath(), List.of(paths), most).stream()
        .map(commit -> commit.split(" ", 3)[2])
        .toList();
  }

  /** Changes the files and commits them. */
  private RevCommit commit(Git git, String message, String... paths) throws Exception {
    for (String path : paths) {
      Orchard.write(root, path, message);
      git.add().addFilepattern(path).call();
    }
    return git.commit()
        .setMessage(message)
        .setAuthor("a", "a@b")
        .setCommitter("a", "a@b")
        .setSign(false)
        .call();
  }

  private List<String> paths(Path... excluded) throws IOException {
    var paths = new ArrayList<String>();
    assertThat(RepositoryFiles.open(root, List.of(excluded)).list(paths::add, 100, () -> false))
        .isTrue();
    return paths;
  }

  private Set<String> everything() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.map(Path::toString).collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
