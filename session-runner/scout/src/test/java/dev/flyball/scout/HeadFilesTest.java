package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read of a head commit, whatever the folder itself has. */
final class HeadFilesTest {
  @TempDir private Path root = Path.of("");
  private String commit = "";

  @BeforeEach
  void aRepository() throws Exception {
    QuietGit.install();
    for (String path :
        List.of(
            "README.md",
            "aaa/1/x.txt",
            "aaa/2/x.txt",
            "aaa/x.txt",
            "bin/start",
            "logo.png",
            "node_modules/left/pad.js",
            "zzz/x.txt")) {
      Orchard.write(root, path, "text of " + path);
    }
    Files.createSymbolicLink(root.resolve("link"), Path.of("README.md"));
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      git.add().addFilepattern(".").call();
      commit =
          git.commit()
              .setMessage("a")
              .setAuthor("a", "a@b")
              .setCommitter("a", "a@b")
              .setSign(false)
              .call()
              .name();
    }
  }

  @Test
  void eachTopLevelFolderHasItsTurnAndTheShallowOnesComeFirst() throws IOException {
    assertThat(paths(root, 100, 100))
        .containsExactly(
            "README.md", "aaa/x.txt", "bin/start", "zzz/x.txt", "aaa/1/x.txt", "aaa/2/x.txt");
  }

  @Test
  void aListingThatIsCutSaysSo() throws IOException {
    try (HeadFiles head = head(root)) {
      var paths = new ArrayList<String>();
      assertThat(head.list(paths::add, 3, () -> false)).isFalse();
      assertThat(paths).containsExactly("README.md", "aaa/x.txt", "bin/start");
      assertThat(head.list(paths::add, 6, () -> false)).isTrue();
    }
  }

  @Test
  void timeEndsAListingBetweenTwoFolders() throws IOException {
    assertThat(paths(root, 100, 2)).containsExactly("README.md", "aaa/x.txt");
  }

  @Test
  void theCommitIsReadAndNotTheFolder() throws IOException {
    Orchard.write(root, "untracked.txt", "x");
    Files.delete(root.resolve("README.md"));

    try (HeadFiles head = head(root)) {
      assertThat(head.commit()).isEqualTo(commit);
      assertThat(head.text("README.md", 100)).hasValue("text of README.md");
      assertThat(head.text("untracked.txt", 100)).isEmpty();
      assertThat(head.text("README.md", 3)).as("too large").isEmpty();
      assertThat(head.text("link", 100)).as("a link").isEmpty();
      assertThat(head.text("aaa", 100)).as("a folder").isEmpty();
    }
  }

  @Test
  void aFolderInsideTheRepositoryIsReadAlone() throws IOException {
    assertThat(paths(root.resolve("aaa"), 100, 100)).containsExactly("x.txt", "1/x.txt", "2/x.txt");
  }

  @Test
  void aFolderThatTheCommitDoesNotHaveIsNotReadFromIt() throws IOException {
    Path other = Files.createDirectory(root.resolve("other"));

    assertThat(HeadFiles.open(other, List.of())).isNull();
  }

  @Test
  void aLostObjectIsAnErrorAndNotAnEmptyRepository() throws IOException {
    try (Stream<Path> objects = Files.walk(root.resolve(".git/objects"))) {
      for (Path object : objects.filter(Files::isRegularFile).toList()) {
        Files.delete(object);
      }
    }
    assertThatThrownBy(() -> HeadFiles.open(root, List.of())).isInstanceOf(IOException.class);
  }

  private static HeadFiles head(Path folder) throws IOException {
    return Objects.requireNonNull(HeadFiles.open(folder, List.of()));
  }

  private static List<String> paths(Path folder, int most, int turns) throws IOException {
    var left = new int[] {turns};
    var paths = new ArrayList<String>();
    try (HeadFiles head = head(folder)) {
      var _ = head.list(paths::add, most, () -> left[0]-- == 0);
    }
    return paths;
  }
}
