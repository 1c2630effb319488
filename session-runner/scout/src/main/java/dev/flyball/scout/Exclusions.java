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
   * outside of a folder {@code src}, and only where no .gitignore file names the output.
   */
  private static final Set<String> OUTPUT =
      FileKind.words("bin build coverage dist obj out venv cmake-build-debug cmake-build-release");

  private final List<String> folders = new ArrayList<>();
  private final boolean committed;

  /**
   * Excludes further folders too, for example a data folder of another name. Folders outside of the
   * root exclude nothing.
   *
   * @param committed whether the root is in a repository, where build output is ignored
   */
  Exclusions(Path root, List<Path> more, boolean committed) {
    this.committed = committed;
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
    boolean sources = committed;
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

  /** Whether a folder may be entered; the path is relative to the root. */
  boolean enters(String folder) {
    return allows(folder + "/x");
  }
}
