package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RepositoryFilesTest {
  @TempDir private Path root = Path.of("");
  @TempDir private Path outside = Path.of("");

  @BeforeEach
  void quiet() {
    QuietGit.install();
  }

  @Test
  void aFolderWithoutARepositoryIsListedByItsIgnoreFiles() throws IOException {
    Orchard.write(root, ".gitignore", "*.tmp\nsecret/\n");
    Orchard.write(root, "a/.gitignore", "!keep.tmp\n");
    Orchard.write(root, "a/keep.tmp", "x");
    Orchard.write(root, "a/drop.tmp", "x");
    Orchard.write(root, "secret/key.txt", "x");
    Orchard.write(root, "b.txt", "x");
    RepositoryFiles files = files();
    assertThat(files.paths()).containsExactly(".gitignore", "a/.gitignore", "a/keep.tmp", "b.txt");
    assertThat(files.commit()).isNull();
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
    assertThat(files(Path.of("work/state")).paths())
        .containsExactly("src/main/java/house/build/Plan.java");
  }

  @Test
  void aRepositoryNamesItsHead() throws Exception {
    Orchard.write(root, "a.txt", "x");
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      git.add().addFilepattern("a.txt").call();
      assertThat(files().commit()).as("no commit yet").isNull();
      String head =
          git.commit()
              .setMessage("a")
              .setAuthor("a", "a@b")
              .setCommitter("a", "a@b")
              .setSign(false)
              .call()
              .name();
      assertThat(files())
          .returns(List.of("a.txt"), RepositoryFiles::paths)
          .returns(head, RepositoryFiles::commit);
    }
  }

  @Test
  void aDamagedRepositoryIsListedAsAFolder() throws IOException {
    Orchard.write(root, ".git/HEAD", "nonsense");
    Orchard.write(root, ".git/index", "nonsense");
    Orchard.write(root, ".git/config", "[core]\n");
    Files.createDirectories(root.resolve(".git/objects"));
    Files.createDirectories(root.resolve(".git/refs"));
    Orchard.write(root, "a.txt", "x");
    assertThat(files())
        .returns(List.of("a.txt"), RepositoryFiles::paths)
        .returns(null, RepositoryFiles::commit);
  }

  @Test
  void nothingIsWrittenIntoTheRepository() throws Exception {
    Orchard.write(root, "a.txt", "x");
    try (Git git = Git.init().setDirectory(root.toFile()).call()) {
      git.add().addFilepattern("a.txt").call();
    }
    Set<String> before = everything();
    files();
    assertThat(everything()).isEqualTo(before);
  }

  @Test
  void linksLargeFilesAndBinariesAreNotRead() throws IOException {
    Orchard.write(outside, "secret.txt", "secret");
    Files.createSymbolicLink(root.resolve("link.txt"), outside.resolve("secret.txt"));
    Files.createSymbolicLink(root.resolve("folder"), outside);
    Files.write(root.resolve("large.txt"), new byte[RepositoryFiles.MAX_FILE_BYTES + 1]);
    Files.write(root.resolve("binary"), new byte[] {'a', 0, 'b'});
    Orchard.write(root, "text.txt", "text");
    var reader = new RepositoryFiles.Reader(root.toRealPath());
    assertThat(
            Stream.of("link.txt", "folder/secret.txt", "large.txt", "binary", "gone.txt")
                .map(reader::text))
        .allMatch(java.util.Optional::isEmpty);
    assertThat(reader.text("text.txt")).contains("text");
    assertThat(files().paths()).doesNotContain("link.txt", "folder/secret.txt");
    Files.delete(root.resolve("link.txt"));
    Files.delete(root.resolve("folder"));
  }

  private RepositoryFiles files(Path... excluded) throws IOException {
    return RepositoryFiles.of(root, new Exclusions(root, List.of(excluded)));
  }

  private Set<String> everything() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.map(Path::toString).collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
