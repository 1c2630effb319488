package dev.flyball.scout;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Decides which paths scout never opens. */
final class Exclusions {
  private static final Set<String> NEVER =
      FileKind.words(
          ".flyball .git .gradle .hg .idea .mypy_cache .next .nox .nuxt .pytest_cache .svn"
              + " .terraform .tox .venv .vs .vscode __pycache__ bower_components node_modules"
              + " target");

  /**
   * Names of build output that are also common names of packages: they exclude a folder only
   * outside of a folder {@code src}.
   */
  private static final Set<String> OUTPUT =
      FileKind.words("bin build coverage dist obj out venv cmake-build-debug cmake-build-release");

  private final List<String> folders = new ArrayList<>();

  /**
   * Excludes further folders too, for example a data folder of another name. Folders outside of the
   * root exclude nothing.
   */
  Exclusions(Path root, List<Path> more) {
    for (Path folder : more) {
      Path inner =
          root.toAbsolutePath()
              .normalize()
              .relativize(root.resolve(folder).toAbsolutePath().normalize());
      String path = inner.toString().replace('\\', '/');
      if (!path.isEmpty() && !path.startsWith("..")) {
        folders.add(path + "/");
      }
    }
  }

  /** Whether a file may be opened; the path is relative to the root. */
  boolean allows(String path) {
    int from = 0;
    boolean sources = false;
    for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', from)) {
      String folder = path.substring(from, slash).toLowerCase(Locale.ROOT);
      if (NEVER.contains(folder) || (!sources && OUTPUT.contains(folder))) {
        return false;
      }
      sources |= folder.equals("src");
      from = slash + 1;
    }
    return !FileKind.binary(path) && folders.stream().noneMatch(path::startsWith);
  }

  /**
   * Whether a file of a commit may be opened. Folders of a commit that are named like build output
   * are sources: build output is not committed.
   */
  boolean allowsCommitted(String path) {
    return !FileKind.binary(path) && folders.stream().noneMatch(path::startsWith);
  }

  /** Whether a folder of a commit may be entered, by its name without the folders above it. */
  static boolean entersCommitted(String name) {
    return !NEVER.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Whether a folder may be entered; the path is relative to the root. */
  boolean enters(String folder) {
    return allows(folder + "/x");
  }
}
