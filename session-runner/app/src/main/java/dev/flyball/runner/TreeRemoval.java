package dev.flyball.runner;

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
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes a folder in which an agent worked. Goes on after each file that it cannot delete,
 * restores rights that the agent took away, and shortens paths that are too long for the system.
 */
final class TreeRemoval extends SimpleFileVisitor<Path> {
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
