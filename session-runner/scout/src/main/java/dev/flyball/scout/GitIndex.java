package dev.flyball.scout;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.dircache.DirCache;
import org.eclipse.jgit.dircache.DirCacheEntry;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.jspecify.annotations.Nullable;

/**
 * What git knows of a folder, read by JGit: no git process, nothing written.
 *
 * @param paths regular files of the index under the folder, relative to it
 * @param commit the head; null in a repository without commits
 */
record GitIndex(List<String> paths, @Nullable String commit) {

  /**
   * Empty if the folder is in no repository, or in one that has none of its files, or if it cannot
   * be read.
   */
  static Optional<GitIndex> of(Path folder) {
    QuietGit.install();
    var builder = new FileRepositoryBuilder().findGitDir(folder.toFile());
    if (builder.getGitDir() == null) {
      return Optional.empty();
    }
    try (Repository repository = builder.setMustExist(true).build()) {
      if (repository.isBare()) {
        return Optional.empty();
      }
      File tree = repository.getWorkTree();
      String prefix = tree.toPath().toRealPath().relativize(folder).toString().replace('\\', '/');
      List<String> paths = paths(repository.readDirCache(), prefix.isEmpty() ? "" : prefix + "/");
      if (paths.isEmpty() && !prefix.isEmpty()) {
        return Optional.empty();
      }
      ObjectId head = repository.resolve("HEAD");
      return Optional.of(new GitIndex(paths, head == null ? null : head.name()));
    } catch (IOException | RuntimeException e) {
      // A damaged repository is still a folder with files: the folder's listing reads it, without a
      // commit.
      return Optional.empty();
    }
  }

  private static List<String> paths(DirCache index, String prefix) {
    var paths = new ArrayList<String>();
    for (int i = 0; i < index.getEntryCount(); i++) {
      DirCacheEntry entry = index.getEntry(i);
      int kind = entry.getRawMode() & FileMode.TYPE_MASK;
      String path = entry.getPathString();
      if (kind == FileMode.TYPE_FILE && entry.getStage() == 0 && path.startsWith(prefix)) {
        paths.add(path.substring(prefix.length()));
      }
    }
    return paths;
  }
}
