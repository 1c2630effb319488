package dev.flyball.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.scout.HeadFiles;
import dev.flyball.scout.QuietGit;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.eclipse.jgit.api.Git;
import org.eclipse.jgit.internal.storage.file.ObjectDirectory;
import org.eclipse.jgit.lib.CommitBuilder;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.lib.TreeFormatter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A monorepo that was never checked out: only its objects exist. */
@Tag("long")
@DisplayName("The codebase of a repository of 200,000 files (S0-7, S0-38, S4-11)")
final class LargeRepositoryIT {
  private static final int TOPS = 20;
  private static final int FOLDERS = 1_000;
  private static final int FILES = 10;

  @TempDir private Path repository = Path.of("");

  @Test
  @DisplayName("is known with 5 s of processor time in a heap of 48 MB, and names the commit")
  void itIsSummarisedInSeconds() throws Exception {
    QuietGit.install();
    String commit = monorepo();
    assertThat(HeadFiles.commitOf(repository)).isEqualTo(commit);

    List<String> lines = inSmallHeap(commit);

    System.out.println("codebase of 200,000 files: " + lines.getFirst() + " ms");
    assertThat(Long.parseLong(lines.getFirst())).isLessThan(5_000);
    assertThat(lines)
        .contains("Commit " + commit + ", 200000 files.")
        .anyMatch(line -> line.startsWith("top00/"))
        .anyMatch(line -> line.startsWith("top19/"))
        .anyMatch(line -> line.startsWith("Cut: "));
    assertThat(String.join("\n", lines)).hasSizeLessThan(14_000);
  }

  private List<String> inSmallHeap(String commit) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                LargeRepositoryIT.class.getName(),
                repository.toString(),
                commit)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<String> lines;
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      lines = out.lines().filter(line -> !line.contains(" INFO ")).toList();
    }
    assertThat(process.waitFor()).isZero();
    return lines;
  }

  /** Prints how many milliseconds of processor time the summary took, and the summary. */
  public static void main(String[] args) {
    QuietGit.install();
    var known = new KnownCodebase(Path.of("/nowhere"), new ElapsedClock());
    String text = known.of(Path.of(args[0]), args[1]).text();
    // Not of the clock: other tests work beside this one.
    System.out.println(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000);
    System.out.print(text);
  }

  private String monorepo() throws Exception {
    try (Git git = Git.init().setDirectory(repository.toFile()).call();
        ObjectInserter objects =
            ((ObjectDirectory) git.getRepository().getObjectDatabase()).newPackInserter()) {
      ObjectId blob =
          objects.insert(Constants.OBJ_BLOB, "class X {}".getBytes(StandardCharsets.UTF_8));
      var root = new TreeFormatter();
      for (int top = 0; top < TOPS; top++) {
        var folders = new TreeFormatter();
        for (int folder = 0; folder < FOLDERS; folder++) {
          var files = new TreeFormatter();
          for (int file = 0; file < FILES; file++) {
            // Each folder has other names, so that none of the trees is shared.
            files.append(
                "File%d_%d_%04d.java".formatted(file, top, folder), FileMode.REGULAR_FILE, blob);
          }
          folders.append("folder%04d".formatted(folder), FileMode.TREE, objects.insert(files));
        }
        root.append("top%02d".formatted(top), FileMode.TREE, objects.insert(folders));
      }
      return commit(git.getRepository(), objects, objects.insert(root));
    }
  }

  private static String commit(Repository repository, ObjectInserter objects, ObjectId tree)
      throws IOException {
    var commit = new CommitBuilder();
    commit.setTreeId(tree);
    commit.setAuthor(new PersonIdent("a", "a@example"));
    commit.setCommitter(new PersonIdent("a", "a@example"));
    commit.setMessage("all");
    ObjectId id = objects.insert(commit);
    objects.flush();
    RefUpdate head = Objects.requireNonNull(repository.updateRef(Constants.HEAD));
    head.setNewObjectId(id);
    assertThat(head.update()).isEqualTo(RefUpdate.Result.NEW);
    return id.name();
  }
}
