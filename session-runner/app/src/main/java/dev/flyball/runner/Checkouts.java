package dev.flyball.runner;

import dev.flyball.scout.QuietGit;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.eclipse.jgit.dircache.DirCacheCheckout;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
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
   * Writes a tree, which {@link #remove} is to remove. It takes as long as writing its files.
   *
   * @param folder where it is written, under a name that no other has
   * @param repository a folder with a {@code .git}, or a bare one
   * @param branch a branch of the repository, or of its remote origin where the repository has none
   *     of that name
   * @throws IOException if the branch does not exist or the tree cannot be written
   */
  static Path write(Path folder, Path repository, String branch) throws IOException {
    return read(
        repository,
        branch,
        (origin, commit) -> {
          Path tree = folder.resolve(commit.name().substring(0, 12) + "-" + UUID.randomUUID());
          try {
            write(origin, commit, tree);
          } catch (IOException | RuntimeException | Error e) {
            remove(tree);
            throw e;
          }
          log.info(
              "tree written: branch={} repository={} commit={} path={}",
              branch,
              repository,
              commit.name(),
              tree);
          return tree;
        });
  }

  /**
   * The newest commit of a branch.
   *
   * @throws IOException with a message of one line if there is none
   */
  public static String commitOf(Path repository, String branch) throws IOException {
    return read(repository, branch, (origin, commit) -> commit.name());
  }

  private static <T> T read(Path repository, String branch, Reading<T> reading) throws IOException {
    QuietGit.install();
    var builder = new FileRepositoryBuilder().findGitDir(repository.toFile());
    if (builder.getGitDir() == null) {
      throw new IOException(repository + " is in no git repository, so it has no branch " + branch);
    }
    try (Repository origin = builder.setMustExist(true).build()) {
      for (String prefix : List.of("refs/heads/", "refs/remotes/origin/")) {
        ObjectId found = origin.resolve(prefix + branch);
        if (found != null) {
          return reading.of(origin, found);
        }
      }
    } catch (RuntimeException e) {
      // JGit throws these for a damaged repository.
      throw new IOException(repository + " cannot be read: " + e.getMessage(), e);
    }
    throw new IOException(repository + " has no branch " + branch + "; create it, or fetch it");
  }

  private interface Reading<T> {
    T of(Repository origin, ObjectId commit) throws IOException;
  }

  private static void write(Repository origin, ObjectId commit, Path tree) throws IOException {
    Path git = Files.createDirectories(tree).resolve(".git");
    try (Repository made = FileRepositoryBuilder.create(git.toFile())) {
      made.create();
    }
    Path objects = origin.getCommonDirectory().toPath().toAbsolutePath().resolve("objects");
    Files.createDirectories(git.resolve("objects/info"));
    Files.writeString(git.resolve("objects/info/alternates"), objects + "\n");
    Files.writeString(git.resolve("HEAD"), commit.name() + "\n");
    // Without it git would miss the parents of a commit that was fetched without history.
    Path shallow = origin.getCommonDirectory().toPath().resolve("shallow");
    if (Files.isRegularFile(shallow)) {
      Files.copy(shallow, git.resolve("shallow"));
    }
    try (Repository made = new FileRepositoryBuilder().setGitDir(git.toFile()).build();
        RevWalk walk = new RevWalk(made)) {
      RevCommit head = walk.parseCommit(commit);
      var checkout = new DirCacheCheckout(made, made.lockDirCache(), head.getTree());
      checkout.setFailOnConflict(false);
      var _ = checkout.checkout();
    }
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
    TreeRemoval.of(tree)
        .ifPresent(
            fault -> log.warn("old tree not removed: path={} cause={}", tree, fault.toString()));
  }

  /**
   * Removes a folder in which an agent worked. Goes on after each file that it cannot delete,
   * restores rights that the agent took away, and shortens paths that are too long for the system.
   */
  private static final class TreeRemoval extends SimpleFileVisitor<Path> {
    private static final Logger log = LoggerFactory.getLogger(TreeRemoval.class);

    private static final Set<PosixFilePermission> OWNERS =
        PosixFilePermissions.fromString("rwx------");

    /** Characters below the tree; the system refuses paths above 4,096 bytes. */
    private static final int DEEP = 1000;

    private final Path tree;
    private @Nullable IOException fault;

    /** Whether a folder was moved up, for the next round. */
    private boolean moved;

    private TreeRemoval(Path tree) {
      this.tree = tree;
    }

    /**
     * Removes a folder and all that is in it.
     *
     * @return why something is left; empty if nothing is
     */
    static Optional<IOException> of(Path tree) {
      TreeRemoval removal;
      do {
        removal = new TreeRemoval(tree);
        try {
          var _ = Files.walkFileTree(tree, removal);
        } catch (IOException e) {
          removal.fault = e;
        }
      } while (removal.moved);
      return Optional.ofNullable(removal.fault);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
        throws IOException {
      open(folder);
      if (folder.toString().length() > tree.toString().length() + DEEP) {
        Files.move(folder, tree.resolve(UUID.randomUUID().toString()));
        moved = true;
        return FileVisitResult.SKIP_SUBTREE;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      delete(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      // A folder that may not be listed, unless its rights were restored before.
      if (e instanceof AccessDeniedException && open(file)) {
        var _ = Files.walkFileTree(file, this);
      } else {
        fault = e;
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
      delete(folder);
      return FileVisitResult.CONTINUE;
    }

    private void delete(Path file) {
      try {
        Files.delete(file);
      } catch (IOException e) {
        fault = e;
      }
    }

    /** Restores the rights that deleting what is inside needs; true if they were missing. */
    private static boolean open(Path folder) {
      try {
        Set<PosixFilePermission> now =
            Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        boolean missing = !now.containsAll(OWNERS);
        if (missing && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
          var _ = Files.setPosixFilePermissions(folder, OWNERS);
          return true;
        }
      } catch (IOException e) {
        log.debug("rights not restored: path={} cause={}", folder, e.toString());
      }
      return false;
    }
  }
}
