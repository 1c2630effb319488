package dev.flyball.scout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder, whether or not it is in a git repository: never build output, or what its
 * .gitignore files exclude.
 */
final class FolderFiles implements RepositoryFiles {
  private static final int MAX_DEPTH = 40;

  /** Most folders that are read, and most entries of one folder. */
  private static final int MAX_ENTRIES = 200_000;

  private static final int SNIFFED = 8 * 1024;

  private final Path root;
  private final Exclusions exclusions;

  /** Folders that are really inside the root, so that no link leads out of it. */
  private final Map<Path, Boolean> inside = new HashMap<>();

  private FolderFiles(Path root, Exclusions exclusions) {
    this.root = root;
    this.exclusions = exclusions;
  }

  /**
   * Opens a folder.
   *
   * @param without folders to skip
   * @throws IOException if the folder cannot be read
   */
  static FolderFiles open(Path folder, List<Path> without) throws IOException {
    Path root = folder.toRealPath();
    if (!Files.isReadable(root)) {
      throw new IOException("folder " + root + " cannot be read");
    }
    return new FolderFiles(root, new Exclusions(folder, without));
  }

  @Override
  public @Nullable String commit() {
    return null;
  }

  /** A folder in it that cannot be read is skipped. */
  @Override
  public boolean list(Consumer<String> paths, int most, BooleanSupplier timeIsUp) {
    var listing = new Listing(paths, most);
    Turns<Inner> turns = listing.turns;
    for (Inner folder = turns.next(); folder != null && !listing.cut; folder = turns.next()) {
      listing.read(folder);
      listing.cut |= timeIsUp.getAsBoolean();
    }
    return !listing.cut;
  }

  /** A folder that is to be read, with the ignore rules of those above it. */
  private record Inner(String path, @Nullable Rules above) {}

  /** The ignore rules of a folder and of those above it, the nearest first. */
  private record Rules(String folder, IgnoreNode node, @Nullable Rules above) {
    boolean ignore(String path, boolean directory) {
      for (Rules rules = this; rules != null; rules = rules.above()) {
        Boolean decided =
            rules.node().checkIgnored(path.substring(rules.folder().length()), directory);
        if (decided != null) {
          return decided;
        }
      }
      return false;
    }
  }

  /** One listing under way. */
  private final class Listing {
    private final Consumer<String> paths;
    private final Turns<Inner> turns = new Turns<>(new Inner("", null));
    private int left;
    private int folders;
    private boolean cut;

    Listing(Consumer<String> paths, int most) {
      this.paths = paths;
      this.left = most;
    }

    void read(Inner folder) {
      Rules rules = rulesOf(folder);
      for (Path entry : entries(root.resolve(folder.path()))) {
        take(entry, folder.path() + entry.getFileName(), rules);
      }
    }

    private void take(Path entry, String path, @Nullable Rules rules) {
      boolean directory = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
      if (rules != null && rules.ignore(path, directory)) {
        return;
      }
      if (directory
          && exclusions.enters(path)
          && path.chars().filter(c -> c == '/').count() < MAX_DEPTH) {
        if (++folders < MAX_ENTRIES) {
          turns.add(new Inner(path + "/", rules));
        } else {
          cut = true;
        }
      } else if (exclusions.allows(path) && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
        if (left-- > 0) {
          paths.accept(path);
        } else {
          cut = true;
        }
      }
    }

    private List<Path> entries(Path folder) {
      var entries = new ArrayList<Path>();
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
        for (Path entry : stream) {
          if (entries.size() == MAX_ENTRIES) {
            cut = true;
            break;
          }
          entries.add(entry);
        }
      } catch (IOException | DirectoryIteratorException e) {
        return List.of();
      }
      entries.sort(null);
      return entries;
    }

    private @Nullable Rules rulesOf(Inner folder) {
      Path file = root.resolve(folder.path()).resolve(".gitignore");
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return folder.above();
      }
      var node = new IgnoreNode();
      try (InputStream in = Files.newInputStream(file)) {
        node.parse(in);
      } catch (IOException e) {
        return folder.above();
      }
      return new Rules(folder.path(), node, folder.above());
    }
  }

  @Override
  public Optional<String> text(String path, int maxBytes) {
    Path file = root.resolve(path);
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!attributes.isRegularFile() || attributes.size() > maxBytes || !inside(file)) {
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

  @Override
  public void close() {}
}
