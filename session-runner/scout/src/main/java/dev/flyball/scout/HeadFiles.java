package dev.flyball.scout;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectLoader;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.jspecify.annotations.Nullable;

/**
 * The files of a repository's head commit under one folder, read by JGit from its objects: no git
 * process, no scan of the folder, nothing written.
 */
public final class HeadFiles implements RepositoryFiles {
  /** Most folders that are read. */
  private static final int MAX_FOLDERS = 200_000;

  private final Repository repository;
  private final ObjectReader reader;
  private final String commit;
  private final ObjectId tree;
  private final Exclusions exclusions;

  private HeadFiles(Repository repository, ObjectId commit, ObjectId tree, Exclusions exclusions) {
    this.repository = repository;
    this.reader = repository.newObjectReader();
    this.commit = commit.name();
    this.tree = tree;
    this.exclusions = exclusions;
  }

  /**
   * Opens the head of the repository that a folder is in; null if it is in none, the repository has
   * no commit, or the commit does not have the folder.
   *
   * @param without folders to skip, the data folder for example
   * @throws IOException if the repository cannot be read
   */
  static @Nullable HeadFiles open(Path folder, List<Path> without) throws IOException {
    Repository repository = repository(folder);
    if (repository == null) {
      return null;
    }
    HeadFiles head = null;
    try {
      head = head(repository, folder.toRealPath(), new Exclusions(folder, without));
      return head;
    } catch (RuntimeException e) {
      // JGit throws these for a damaged repository.
      throw new IOException("the git repository of " + folder + " cannot be read: " + e, e);
    } finally {
      if (head == null) {
        repository.close();
      }
    }
  }

  /** The head of the repository that a folder is in; null if it has none or cannot be read. */
  public static @Nullable String commitOf(Path folder) {
    try (Repository repository = repository(folder)) {
      ObjectId head = repository == null ? null : repository.resolve(Constants.HEAD);
      return head == null ? null : head.name();
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  private static @Nullable Repository repository(Path folder) throws IOException {
    QuietGit.install();
    var builder = new FileRepositoryBuilder().findGitDir(folder.toFile());
    return builder.getGitDir() == null ? null : builder.setMustExist(true).build();
  }

  private static @Nullable HeadFiles head(Repository repository, Path folder, Exclusions exclusions)
      throws IOException {
    ObjectId head = repository.resolve(Constants.HEAD);
    if (head == null || repository.isBare()) {
      return null;
    }
    try (RevWalk commits = new RevWalk(repository)) {
      ObjectId root = commits.parseCommit(head).getTree();
      File top = repository.getWorkTree();
      String prefix = top.toPath().toRealPath().relativize(folder).toString().replace('\\', '/');
      if (prefix.isEmpty()) {
        return new HeadFiles(repository, head, root, exclusions);
      }
      try (TreeWalk walk = TreeWalk.forPath(repository, prefix, root)) {
        return walk == null || !walk.isSubtree()
            ? null
            : new HeadFiles(repository, head, walk.getObjectId(0), exclusions);
      }
    }
  }

  @Override
  public String commit() {
    return commit;
  }

  @Override
  public boolean list(Consumer<String> paths, int most, BooleanSupplier timeIsUp)
      throws IOException {
    var turns = new Turns<>(new Inner("", tree));
    int folders = 0;
    int files = 0;
    try (var walk = new TreeWalk(reader)) {
      for (Inner folder = turns.next(); folder != null; folder = turns.next()) {
        if (timeIsUp.getAsBoolean()) {
          return false;
        }
        walk.reset(folder.tree());
        while (walk.next()) {
          String path = folder.path() + walk.getNameString();
          int kind = walk.getRawMode(0) & FileMode.TYPE_MASK;
          if (kind == FileMode.TYPE_TREE && Exclusions.entersCommitted(walk.getNameString())) {
            if (++folders > MAX_FOLDERS) {
              return false;
            }
            turns.add(new Inner(path + "/", walk.getObjectId(0)));
          } else if (kind == FileMode.TYPE_FILE && exclusions.allowsCommitted(path)) {
            if (++files > most) {
              return false;
            }
            paths.accept(path);
          }
        }
      }
      return true;
    } catch (RuntimeException e) {
      throw new IOException("the tree of commit " + commit + " cannot be read: " + e, e);
    }
  }

  private record Inner(String path, ObjectId tree) {}

  @Override
  public Optional<String> text(String path, int maxBytes) {
    try (TreeWalk walk = TreeWalk.forPath(reader, path, tree)) {
      if (walk == null || (walk.getRawMode(0) & FileMode.TYPE_MASK) != FileMode.TYPE_FILE) {
        return Optional.empty();
      }
      ObjectLoader loader = reader.open(walk.getObjectId(0), Constants.OBJ_BLOB);
      return loader.getSize() > maxBytes
          ? Optional.empty()
          : Optional.of(new String(loader.getCachedBytes(maxBytes), StandardCharsets.UTF_8));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    reader.close();
    repository.close();
  }
}
