package dev.flyball.scout;

import dev.flyball.contract.text.OneLine;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevCommit;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.treewalk.EmptyTreeIterator;
import org.eclipse.jgit.treewalk.TreeWalk;
import org.eclipse.jgit.treewalk.filter.AndTreeFilter;
import org.eclipse.jgit.treewalk.filter.PathFilterGroup;
import org.eclipse.jgit.treewalk.filter.TreeFilter;
import org.jspecify.annotations.Nullable;

/**
 * The files of a repository that an agent may need, as its folder has them: never .git, links,
 * binaries by their name, folders of installed packages, or what its .gitignore files exclude; nor
 * build output where no repository says what that is. For one thread.
 */
public final class RepositoryFiles {
  private static final int MAX_DEPTH = 40;

  /** Most folders that are read, and most entries of one folder. */
  private static final int MAX_ENTRIES = 200_000;

  /** Most commits that are read for those that touched a file. */
  private static final int MAX_COMMITS = 10_000;

  private static final Duration HISTORY_LIMIT = Duration.ofSeconds(2);

  private static final int MAX_SUBJECT = 100;

  private static final int SNIFFED = 8 * 1024;

  private static final Set<String> NEVER =
      FileKind.words(
          ".flyball .git .gradle .hg .idea .mypy_cache .next .nox .nuxt .pytest_cache .svn"
              + " .terraform .tox .venv .vs .vscode __pycache__ bower_components node_modules"
              + " target");

  /**
   * Names of build output that are also common names of packages: they exclude a folder only
   * outside of a folder {@code src}, and only where no .gitignore file names the output.
   */
  private static final Set<String> OUTPUT =
      FileKind.words("bin build coverage dist obj out venv cmake-build-debug cmake-build-release");

  private final Path root;

  /** Further folders to skip, relative to the root, each with a slash at its end. */
  private final List<String> without = new ArrayList<>();

  /** Whether the root is in a repository, where build output is ignored. */
  private final boolean committed;

  /** Folders that are really inside the root, so that no link leads out of it. */
  private final Map<Path, Boolean> inside = new HashMap<>();

  private RepositoryFiles(Path root, boolean committed) {
    this.root = root;
    this.committed = committed;
  }

  /**
   * Opens a folder.
   *
   * @param without folders to skip, the data folder for example; those outside skip nothing
   * @throws IOException if the folder cannot be read
   */
  public static RepositoryFiles open(Path folder, List<Path> without) throws IOException {
    Path root = folder.toRealPath();
    if (!Files.isReadable(root)) {
      throw new IOException("folder " + root + " cannot be read");
    }
    QuietGit.install();
    File git = new FileRepositoryBuilder().findGitDir(folder.toFile()).getGitDir();
    var files = new RepositoryFiles(root, git != null);
    Path named = folder.toAbsolutePath().normalize();
    for (Path other : without) {
      String path = named.relativize(named.resolve(other).normalize()).toString();
      if (!path.isEmpty() && !path.startsWith("..")) {
        files.without.add(path + "/");
      }
    }
    return files;
  }

  /** The head of the repository that a folder is in; null if it has none or cannot be read. */
  public static @Nullable String commitOf(Path folder) {
    return asked(folder, repository -> repository.resolve(Constants.HEAD))
        .map(ObjectId::name)
        .orElse(null);
  }

  /** The address of the remote {@code origin} of the repository that a folder is in. */
  public static Optional<String> originOf(Path folder) {
    return asked(folder, it -> it.getConfig().getString("remote", "origin", "url"));
  }

  /** The addresses of all its remotes: {@code upstream} first, because a fork rarely has issues. */
  public static List<String> remotesOf(Path folder) {
    return asked(
            folder,
            repository ->
                Stream.concat(Stream.of("upstream", "origin"), repository.getRemoteNames().stream())
                    .distinct()
                    .map(name -> repository.getConfig().getString("remote", name, "url"))
                    .filter(Objects::nonNull)
                    .toList())
        .orElse(List.of());
  }

  /**
   * The newest commits without merges that touched one of the files: hash, day and subject. None if
   * the history cannot be read.
   *
   * @param folder its real path
   */
  static List<String> commitsOf(Path folder, List<String> paths, int most) {
    return asked(folder, repository -> commits(repository, folder, paths, most)).orElse(List.of());
  }

  private static List<String> commits(
      Repository repository, Path folder, List<String> paths, int most) throws IOException {
    long begun = System.nanoTime();
    var found = new ArrayList<String>();
    Path inside = repository.getWorkTree().toPath().toRealPath().relativize(folder);
    // Their parents were not fetched, so that they seem to touch every file.
    Set<ObjectId> cut = repository.getObjectDatabase().getShallowCommits();
    try (var walk = new RevWalk(repository);
        var trees = new TreeWalk(repository)) {
      trees.setRecursive(true);
      List<String> full = paths.stream().map(path -> inside.resolve(path).toString()).toList();
      trees.setFilter(
          AndTreeFilter.create(PathFilterGroup.createFromStrings(full), TreeFilter.ANY_DIFF));
      walk.setRetainBody(false);
      walk.markStart(walk.parseCommit(repository.resolve(Constants.HEAD)));
      int left = MAX_COMMITS;
      for (RevCommit commit : walk) {
        if (commit.getParentCount() < 2 && !cut.contains(commit) && touches(trees, commit)) {
          walk.parseBody(commit);
          Instant at = Instant.ofEpochSecond(commit.getCommitTime());
          String subject = OneLine.of(commit.getShortMessage(), MAX_SUBJECT);
          LocalDate day = LocalDate.ofInstant(at, ZoneOffset.UTC);
          found.add(commit.abbreviate(10).name() + " " + day + " " + subject);
        }
        if (found.size() == most
            || --left == 0
            || System.nanoTime() - begun > HISTORY_LIMIT.toNanos()) {
          break;
        }
      }
    }
    return found;
  }

  private static boolean touches(TreeWalk trees, RevCommit commit) throws IOException {
    trees.reset(commit.getTree());
    if (commit.getParentCount() == 0) {
      trees.addTree(new EmptyTreeIterator());
    } else {
      trees.addTree(commit.getParent(0).getTree());
    }
    return trees.next();
  }

  private interface Question<T> {
    @Nullable T of(Repository repository) throws IOException;
  }

  private static <T> Optional<T> asked(Path folder, Question<T> question) {
    try (Repository repository = QuietGit.repository(folder)) {
      return repository == null ? Optional.empty() : Optional.ofNullable(question.of(repository));
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // The index of many million objects does not fit into scout's memory.
      return Optional.empty();
    }
  }

  /**
   * Hands out the paths of files, those of shallow folders first, a part of each top-level folder
   * in turn: a listing that ends early has a part of each, not all of the first one by name. A
   * folder in it that cannot be read is skipped.
   *
   * @param paths relative to the folder, with forward slashes
   * @param most the most files
   * @param timeIsUp true when no further folder is to be read
   * @return whether all files were handed out
   */
  public boolean list(Consumer<String> paths, int most, BooleanSupplier timeIsUp) {
    var listing = new Listing(paths, most);
    // For each folder at the top, what waits to be read below it.
    Deque<Deque<Inner>> turns = new ArrayDeque<>();
    listing.read(new Inner("", null)).forEach(top -> turns.add(new ArrayDeque<>(List.of(top))));
    while (!turns.isEmpty() && !listing.cut && !timeIsUp.getAsBoolean()) {
      Deque<Inner> waiting = turns.remove();
      waiting.addAll(listing.read(waiting.remove()));
      if (!waiting.isEmpty()) {
        turns.add(waiting);
      }
    }
    return turns.isEmpty() && !listing.cut;
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

  private final class Listing {
    private final Consumer<String> paths;
    private int left;
    private int folders;
    private boolean cut;

    Listing(Consumer<String> paths, int most) {
      this.paths = paths;
      this.left = most;
    }

    /** Hands out the files of a folder; returns the folders in it that are to be read. */
    List<Inner> read(Inner folder) {
      Rules rules = rulesOf(folder);
      var inner = new ArrayList<Inner>();
      for (Path entry : entries(root.resolve(folder.path()))) {
        take(entry, folder.path() + entry.getFileName(), rules, inner);
      }
      return inner;
    }

    private void take(Path entry, String path, @Nullable Rules rules, List<Inner> inner) {
      BasicFileAttributes kind = attributes(entry);
      if (kind == null || (rules != null && rules.ignore(path, kind.isDirectory()))) {
        return;
      }
      if (kind.isDirectory()) {
        boolean enters =
            allows(path + "/x") && path.chars().filter(c -> c == '/').count() < MAX_DEPTH;
        if (enters && ++folders < MAX_ENTRIES) {
          inner.add(new Inner(path + "/", rules));
        } else {
          cut |= enters;
        }
      } else if (kind.isRegularFile() && allows(path)) {
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

  /** Whether a file may be opened; the path is relative to the root. */
  private boolean allows(String path) {
    int from = 0;
    boolean sources = committed;
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', from)) {
      String folder = path.substring(from, slash).toLowerCase(Locale.ROOT);
      if (NEVER.contains(folder) || (!sources && OUTPUT.contains(folder))) {
        return false;
      }
      sources |= folder.equals("src");
      from = slash + 1;
    }
    return !FileKind.binary(path) && without.stream().noneMatch(path::startsWith);
  }

  /**
   * A file's text; empty if there is no such file, or it is larger, a link, binary or unreadable.
   */
  Optional<String> text(String path, int maxBytes) {
    Path file = root.resolve(path);
    BasicFileAttributes kind = attributes(file);
    if (kind == null || !kind.isRegularFile() || kind.size() > maxBytes || !inside(file)) {
      return Optional.empty();
    }
    try {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      return text.indexOf('\0', 0, Math.min(text.length(), SNIFFED)) < 0
          ? Optional.of(text)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** What a path is, links not followed; null if that cannot be read. */
  private static @Nullable BasicFileAttributes attributes(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      return null;
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
}
