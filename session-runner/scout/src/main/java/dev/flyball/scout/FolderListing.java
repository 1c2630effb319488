package dev.flyball.scout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.jspecify.annotations.Nullable;

/**
 * Lists the files that an agent may need in a folder, whether or not it is a git repository: never
 * .git, build output, binaries, links, or what its .gitignore files exclude.
 */
public final class FolderListing {
  private static final int MAX_DEPTH = 40;

  private final Path root;
  private final Exclusions exclusions;
  private final int most;
  private final List<String> found = new ArrayList<>();

  private FolderListing(Path root, Exclusions exclusions, int most) {
    this.root = root;
    this.exclusions = exclusions;
    this.most = most;
  }

  /**
   * Lists a folder. A folder in it that cannot be read is skipped.
   *
   * @param without folders to skip, the data folder for example
   * @param most the most files that are listed
   * @return paths relative to the folder, with forward slashes, sorted
   * @throws IOException if the folder itself cannot be read
   */
  public static List<String> of(Path folder, List<Path> without, int most) throws IOException {
    return of(folder.toRealPath(), new Exclusions(folder, without), most);
  }

  static List<String> of(Path root, Exclusions exclusions, int most) throws IOException {
    if (!Files.isReadable(root)) {
      throw new IOException("folder " + root + " cannot be read");
    }
    var listing = new FolderListing(root, exclusions, most);
    listing.enter("", null);
    return listing.found.stream().sorted().toList();
  }

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

  private void enter(String folder, @Nullable Rules above) {
    Rules rules = rulesOf(folder, above);
    for (Path entry : entries(root.resolve(folder))) {
      if (found.size() >= most) {
        return;
      }
      String path = folder + entry.getFileName();
      boolean directory = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
      if (rules != null && rules.ignore(path, directory)) {
        continue;
      }
      if (directory
          && exclusions.enters(path)
          && path.chars().filter(c -> c == '/').count() < MAX_DEPTH) {
        enter(path + "/", rules);
      } else if (exclusions.allows(path) && Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
        found.add(path);
      }
    }
  }

  private static List<Path> entries(Path folder) {
    var entries = new ArrayList<Path>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
      stream.forEach(entries::add);
    } catch (IOException e) {
      return List.of();
    }
    entries.sort(null);
    return entries;
  }

  private @Nullable Rules rulesOf(String folder, @Nullable Rules above) {
    Path file = root.resolve(folder).resolve(".gitignore");
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return above;
    }
    var node = new IgnoreNode();
    try (InputStream in = Files.newInputStream(file)) {
      node.parse(in);
    } catch (IOException e) {
      return above;
    }
    return new Rules(folder, node, above);
  }
}
