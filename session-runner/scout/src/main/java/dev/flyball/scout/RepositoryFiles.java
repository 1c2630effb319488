package dev.flyball.scout;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files that scout may read: never .git, build output, the data folder, binaries, large files,
 * what .gitignore files exclude, or what a symbolic link leads to.
 *
 * @param paths relative to the root with forward slashes, sorted
 * @param commit the repository's head, null if there is none
 * @param cut whether there were more than {@link #MAX_FILES}
 */
record RepositoryFiles(Path root, List<String> paths, @Nullable String commit, boolean cut) {
  /** Most files that scout reads. */
  static final int MAX_FILES = 50_000;

  /** Largest file read, in bytes. */
  static final int MAX_FILE_BYTES = 1 << 20;

  private static final int SNIFFED = 8 * 1024;

  /**
   * Lists the files under a folder.
   *
   * @throws IOException if the folder cannot be read
   */
  static RepositoryFiles of(Path root, Exclusions exclusions) throws IOException {
    Path real = root.toRealPath();
    FolderListing.Listed all = FolderListing.of(real, exclusions, MAX_FILES, () -> false);
    return new RepositoryFiles(real, all.paths(), HeadFiles.commitOf(real), all.cut());
  }

  /**
   * Reads files. It remembers which folders are really inside the root, so that no link leads out
   * of it.
   */
  static final class Reader {
    private final Path root;
    private final Map<Path, Boolean> inside = new HashMap<>();

    Reader(Path root) {
      this.root = root;
    }

    /** A file's text; empty if it is no text, too large, a link, deleted or unreadable. */
    Optional<String> text(String path) {
      Path file = root.resolve(path);
      try {
        BasicFileAttributes attributes =
            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile() || attributes.size() > MAX_FILE_BYTES || !inside(file)) {
          return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        return binary(bytes)
            ? Optional.empty()
            : Optional.of(new String(bytes, StandardCharsets.UTF_8));
      } catch (IOException e) {
        return Optional.empty();
      }
    }

    private boolean inside(Path file) {
      Path folder = file.getParent();
      return folder != null && inside.computeIfAbsent(folder, this::real);
    }

    private boolean real(Path folder) {
      try {
        return folder.toRealPath().startsWith(root);
      } catch (IOException e) {
        return false;
      }
    }

    private static boolean binary(byte[] bytes) {
      for (int i = 0; i < Math.min(bytes.length, SNIFFED); i++) {
        if (bytes[i] == 0) {
          return true;
        }
      }
      return false;
    }
  }
}
