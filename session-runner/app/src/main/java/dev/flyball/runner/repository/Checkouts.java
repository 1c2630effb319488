package dev.flyball.runner.repository;

import dev.flyball.scout.QuietGit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.jgit.dircache.DirCacheCheckout;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trees in which sessions work: of the newest commit of a branch, each for one session alone,
 * so that no file is pulled from under a session and nothing that an agent writes is read by
 * another.
 *
 * <p>Each tree costs the disk space of its files. The objects stay in the repository and are
 * shared, and nothing in the repository itself is written.
 */
public final class Checkouts {
  private static final Logger log = LoggerFactory.getLogger(Checkouts.class);

  private Checkouts() {}

  /**
   * The newest commit of a branch.
   *
   * @param repository a folder with a {@code .git}, or a bare one
   * @param branch a branch of the repository, or of its remote origin where the repository has none
   *     of that name
   * @throws IOException with a message of one line if there is none
   */
  public static String commitOf(Path repository, String branch) throws IOException {
    return read(
        repository,
        "branch " + branch,
        origin -> {
          for (String prefix : List.of("refs/heads/", "refs/remotes/origin/")) {
            ObjectId found = origin.resolve(prefix + branch);
            if (found != null) {
              return found.name();
            }
          }
          throw new IOException(
              repository + " has no branch " + branch + "; create it, or fetch it");
        });
  }

  /**
   * Writes the tree of a commit, which {@link #remove} is to remove. It takes as long as writing
   * its files.
   *
   * @param folder where it is written, under a name that no other has
   * @throws IOException if the tree cannot be written
   */
  static Path write(Path folder, Path repository, String commit) throws IOException {
    Path tree = folder.resolve(commit.substring(0, 12) + "-" + UUID.randomUUID());
    try {
      ObjectId id = ObjectId.fromString(commit);
      var _ = read(repository, "commit " + commit, origin -> written(origin, id, tree));
    } catch (IOException | RuntimeException | Error e) {
      remove(tree);
      throw e;
    }
    log.info("tree written: repository={} commit={} path={}", repository, commit, tree);
    return tree;
  }

  private static <T> T read(Path repository, String what, Reading<T> reading) throws IOException {
    try (Repository origin = QuietGit.repository(repository)) {
      if (origin == null) {
        throw new IOException(repository + " is in no git repository, so it has no " + what);
      }
      return reading.of(origin);
    } catch (RuntimeException e) {
      // JGit throws these for a damaged repository.
      throw new IOException(repository + " cannot be read: " + e.getMessage(), e);
    }
  }

  private interface Reading<T> {
    T of(Repository origin) throws IOException;
  }

  private static Path written(Repository origin, ObjectId commit, Path tree) throws IOException {
    Path git = Files.createDirectories(tree).resolve(".git");
    try (Repository made = FileRepositoryBuilder.create(git.toFile())) {
      made.create();
    }
    Path objects = origin.getCommonDirectory().toPath().toAbsolutePath().resolve("objects");
    Files.createDirectories(git.resolve("objects/info"));
    Files.writeString(git.resolve("objects/info/alternates"), objects + "\n");
    Files.writeString(git.resolve("HEAD"), commit.name() + "\n");
    // Without it git would miss the parents of a commit whose history was not fetched.
    Path shallow = origin.getCommonDirectory().toPath().resolve("shallow");
    if (Files.isRegularFile(shallow)) {
      Files.copy(shallow, git.resolve("shallow"));
    }
    try (Repository made = new FileRepositoryBuilder().setGitDir(git.toFile()).build();
        RevWalk walk = new RevWalk(made)) {
      var checkout =
          new DirCacheCheckout(made, made.lockDirCache(), walk.parseCommit(commit).getTree());
      checkout.setFailOnConflict(false);
      var _ = checkout.checkout();
    }
    return tree;
  }

  /**
   * Removes a tree in which an agent worked, whatever it made there. A part that cannot be removed
   * is left: it does no harm, and must keep neither a session from its end nor a runner from its
   * start.
   */
  static void remove(Path tree) {
    if (!Files.isDirectory(tree)) {
      return;
    }
    TreeRemoval removal;
    do {
      removal = new TreeRemoval(tree);
      removal.remove(tree);
    } while (removal.moved);
    if (removal.fault != null) {
      log.warn("old tree not removed: path={} cause={}", tree, removal.fault.toString());
    }
  }

  /**
   * Removes a folder in which an agent worked. Goes on after each file that it cannot delete,
   * restores rights that the agent took away, and shortens paths that are too long for the system.
   */
  private static final class TreeRemoval {
    private static final Set<PosixFilePermission> OWNERS =
        PosixFilePermissions.fromString("rwx------");

    /** Characters below the tree; the system refuses paths above 4,096 bytes. */
    private static final int DEEP = 1000;

    private final Path tree;
    private @Nullable Exception fault;

    /** Whether a folder was moved up, for the next round. */
    private boolean moved;

    TreeRemoval(Path tree) {
      this.tree = tree;
    }

    void remove(Path file) {
      try {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
          open(file);
          if (file.toString().length() > tree.toString().length() + DEEP) {
            Files.move(file, tree.resolve(UUID.randomUUID().toString()));
            moved = true;
            return;
          }
          inside(file).forEach(this::remove);
        }
        Files.delete(file);
      } catch (IOException | UncheckedIOException e) {
        fault = e;
      }
    }

    /** Listed whole, so that no folder stays open while those in it are read. */
    private static List<Path> inside(Path folder) throws IOException {
      try (Stream<Path> files = Files.list(folder)) {
        return files.toList();
      }
    }

    /** Restores the rights that deleting what is inside needs; another user's stay as they are. */
    private static void open(Path folder) {
      try {
        var _ = Files.setPosixFilePermissions(folder, OWNERS);
      } catch (IOException e) {
        log.debug("rights not restored: path={} cause={}", folder, e.toString());
      }
    }
  }
}
