package dev.flyball.runner.codebase;

import java.util.Set;
import java.util.regex.Pattern;

/** Where programs of a repository begin, by the names of files. */
final class EntryPoints {
  private static final int MAX_ENTRIES = 2_000;

  /** Names of files with which programs begin, wherever they are. */
  private static final Pattern NAME =
      Pattern.compile(
          "[A-Za-z0-9]*(?:Main|Application)\\.(?:java|kt|scala)"
              + "|main\\.(?:go|py|c|cc|cpp|rs|dart|js|ts|tsx)|Program\\.(?:cs|fs)"
              + "|__main__\\.py|(?:manage|wsgi|asgi|app)\\.py|server\\.(?:js|ts)");

  /** Names of files at the root that start, build or deploy. */
  private static final Set<String> AT_ROOT =
      Set.of(
          "Makefile",
          "justfile",
          "Taskfile.yml",
          "Dockerfile",
          "docker-compose.yml",
          "docker-compose.yaml",
          "compose.yml",
          "compose.yaml");

  /** Folders of programs, at the root or one below it. */
  private static final Set<String> PROGRAMS = Set.of("bin", "scripts");

  /** Programs that only test are no entry points. */
  private static final Pattern TEST = Pattern.compile("(?:^|/)(?:tests?|testdata|fixtures)/");

  private final FairCut lines = new FairCut(MAX_ENTRIES);

  void add(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    if (starts(path, name)) {
      lines.add(path, path);
    }
  }

  private static boolean starts(String path, String name) {
    int slash = path.length() - name.length() - 1;
    if (slash < 0 && AT_ROOT.contains(name)) {
      return true;
    }
    String folder = slash < 0 ? "" : path.substring(path.lastIndexOf('/', slash - 1) + 1, slash);
    return ((PROGRAMS.contains(folder) && path.chars().filter(c -> c == '/').count() <= 2)
            || path.endsWith("src/bin/" + name)
            || NAME.matcher(name).matches())
        && !TEST.matcher(path).find();
  }

  String text(int room) {
    return lines.text(room, "entry points");
  }
}
