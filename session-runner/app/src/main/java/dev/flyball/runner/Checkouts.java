package dev.flyball.runner;

import dev.flyball.scout.QuietGit;
import java.io.File;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
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
 * The trees of one source's branch, each in a folder named for its commit. A tree never changes
 * once it exists, so a branch that moves pulls no file from under a running session.
 *
 * <p>Each tree costs the disk space of its files. The objects stay in the repository and are
 * shared, and nothing in the repository itself is written. Thread-safe.
 */
public final class Checkouts {
  private static final Logger log = LoggerFactory.getLogger(Checkouts.class);

  private final Path folder;
  private final Path repository;
  private final String branch;

  /** How many sessions work in a tree; guarded by this. */
  private final Map<Path, Integer> users = new HashMap<>();

  /**
   * Creates nothing yet.
   *
   * @param folder where the trees of this source, and no others, are kept
   * @param repository a folder with a {@code .git}
   * @param branch a branch of the repository, or of its remote origin where the repository has none
   *     of that name
   */
  public Checkouts(Path folder, Path repository, String branch) {
    this.folder = folder;
    this.repository = repository;
    this.branch = branch;
  }

  /**
   * Returns the tree of the branch's newest commit. If the tree does not exist, this writes it
   * first, which takes as long as writing its files, and removes trees of other commits in which no
   * session works. The caller must give the tree back to {@link #leave}.
   *
   * @throws IOException if the branch does not exist or the tree cannot be written
   */
  public synchronized Path enter() throws IOException {
    Path tree = newest();
    users.merge(tree, 1, Integer::sum);
    return tree;
  }

  /**
   * Writes a tree of the branch's newest commit for one session alone, which {@link #remove} is to
   * remove. It takes as long as writing its files.
   *
   * @throws IOException if the branch does not exist or the tree cannot be written
   */
  Path enterAlone() throws IOException {
    return read(
        repository,
        branch,
        (origin, commit) -> {
          Path tree = folder.resolve(commit.name().substring(0, 12) + "-" + UUID.randomUUID());
          Files.createDirectories(folder);
          make(origin, commit, tree);
          return tree;
        });
  }

  /** Records that a session which worked in this tree has ended. */
  public synchronized void leave(Path tree) {
    users.computeIfPresent(tree, (path, count) -> count == 1 ? null : count - 1);
  }

  /**
   * The newest commit of a branch.
   *
   * @throws IOException with a message of one line if there is none
   */
  public static String commitOf(Path repository, String branch) throws IOException {
    return read(repository, branch, (origin, commit) -> commit.name());
  }

  private Path newest() throws IOException {
    return read(
        repository,
        branch,
        (origin, commit) -> {
          Path tree = folder.resolve(commit.name());
          if (!Files.isDirectory(tree)) {
            Files.createDirectories(folder);
            removeUnused();
            make(origin, commit, tree);
          }
          return tree;
        });
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

  /**
   * Writes the tree under another name until it is complete: half a tree after a crash must not
   * pass for the tree.
   */
  private void make(Repository origin, ObjectId commit, Path tree) throws IOException {
    Path making = folder.resolve("making-" + UUID.randomUUID());
    File git = making.resolve(".git").toFile();
    try {
      try (Repository made = FileRepositoryBuilder.create(git)) {
        made.create();
      }
      Path objects = origin.getCommonDirectory().toPath().toAbsolutePath().resolve("objects");
      Files.createDirectories(making.resolve(".git/objects/info"));
      Files.writeString(making.resolve(".git/objects/info/alternates"), objects + "\n");
      Files.writeString(making.resolve(".git/HEAD"), commit.name() + "\n");
      // Without it git would miss the parents of a commit that was fetched without history.
      Path shallow = origin.getCommonDirectory().toPath().resolve("shallow");
      if (Files.isRegularFile(shallow)) {
        Files.copy(shallow, making.resolve(".git/shallow"));
      }
      try (Repository made = new FileRepositoryBuilder().setGitDir(git).build();
          RevWalk walk = new RevWalk(made)) {
        RevCommit head = walk.parseCommit(commit);
        var checkout = new DirCacheCheckout(made, made.lockDirCache(), head.getTree());
        checkout.setFailOnConflict(false);
        var _ = checkout.checkout();
      }
      Files.move(making, tree, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      remove(making);
    }
    log.info(
        "tree written: branch={} repository={} commit={} path={}",
        branch,
        repository,
        commit.name(),
        tree);
  }

  private void removeUnused() throws IOException {
    try (Stream<Path> trees = Files.list(folder)) {
      trees.filter(tree -> !users.containsKey(tree)).forEach(Checkouts::remove);
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
