package dev.flyball.scout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.jspecify.annotations.Nullable;

/**
 * Lists the files that an agent may need in a folder, whether or not it is a git repository: never
 * .git, build output, binaries, links, or what its .gitignore files exclude. A listing that ends at
 * a bound has a part of every top-level folder.
 */
public final class FolderListing {
  private static final int MAX_DEPTH = 40;

  /** Most folders that are read, and most entries of one folder. */
  private static final int MAX_ENTRIES = 200_000;

  private final Path root;
  private final Exclusions exclusions;
  private final int most;
  private final BooleanSupplier timeIsUp;
  private final List<String> found = new ArrayList<>();
  private final FairTurns<Inner> turns = new FairTurns<>(new Inner("", null));
  private int folders;
  private boolean cut;

  private FolderListing(Path root, Exclusions exclusions, int most, BooleanSupplier timeIsUp) {
    this.root = root;
    this.exclusions = exclusions;
    this.most = most;
    this.timeIsUp = timeIsUp;
  }

  /**
   * What was found.
   *
   * @param paths relative to the folder, with forward slashes, sorted
   * @param cut whether a bound ended the listing, so that there may be more
   */
  public record Listed(List<String> paths, boolean cut) {
    public Listed {
      paths = List.copyOf(paths);
    }
  }

  /**
   * Lists a folder. A folder in it that cannot be read is skipped.
   *
   * @param without folders to skip, the data folder for example
   * @param most the most files that are listed
   * @param timeIsUp true when no further folder is to be read
   * @throws IOException if the folder itself cannot be read
   */
  public static Listed of(Path folder, List<Path> without, int most, BooleanSupplier timeIsUp)
      throws IOException {
    return of(folder.toRealPath(), new Exclusions(folder, without), most, timeIsUp);
  }

  static Listed of(Path root, Exclusions exclusions, int most, BooleanSupplier timeIsUp)
      throws IOException {
    if (!Files.isReadable(root)) {
      throw new IOException("folder " + root + " cannot be read");
    }
    var listing = new FolderListing(root, exclusions, most, timeIsUp);
    listing.list();
    return new Listed(listing.found.stream().sorted().toList(), listing.cut);
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

  private void list() {
    for (Inner folder = turns.next(); folder != null && !cut; folder = turns.next()) {
      Rules rules = rulesOf(folder.path(), folder.above());
      for (Path entry : entries(root.resolve(folder.path()))) {
        take(entry, folder.path() + entry.getFileName(), rules);
      }
      cut |= timeIsUp.getAsBoolean();
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
      if (found.size() < most) {
        found.add(path);
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
