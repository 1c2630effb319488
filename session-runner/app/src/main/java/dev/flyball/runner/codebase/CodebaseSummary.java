package dev.flyball.runner.codebase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Summarises a repository from its paths: languages, modules, entry points and the tree. It keeps a
 * bounded part of what it is given, so that a repository of any size can be added. The paths of one
 * folder come one after the other.
 */
public final class CodebaseSummary {
  private static final int MODULES_ROOM = 2_500;
  private static final int ENTRIES_ROOM = 2_000;
  private static final int TREE_ROOM = 7_000;

  private final Languages languages = new Languages();
  private final ModuleMap modules = new ModuleMap();
  private final EntryPoints entries = new EntryPoints();
  private final FolderTree tree = new FolderTree();
  private int files;

  /** Adds a file; its path is relative to the root, with forward slashes. */
  public void add(String path) {
    files++;
    languages.add(path);
    modules.add(path);
    entries.add(path);
    tree.add(path);
  }

  /** How many files were added. */
  public int files() {
    return files;
  }

  /**
   * The commit, languages, modules, entry points and tree, bounded, with a line end at the end;
   * empty if no file was added. Call it once, after everything was added.
   *
   * @param commit the commit that was read, null if there is none
   * @param complete whether every file was added
   */
  public String of(@Nullable String commit, boolean complete) {
    if (files == 0) {
      return "";
    }
    var all = new StringBuilder(16_384);
    all.append(commit == null ? "No commit: a folder as it is" : "Commit " + commit);
    all.append(complete ? ", " : ", at least ").append(files).append(" files.\n");
    if (!complete) {
      all.append("The repository is too large to be listed completely; files exist that are not")
          .append(" named here.\n");
    }
    section(all, "Languages, by files:\n", languages.text());
    section(all, "Modules:\n", modules.text(MODULES_ROOM));
    section(all, "Entry points:\n", entries.text(ENTRIES_ROOM));
    section(all, "Folders and files:\n", tree.text(TREE_ROOM));
    return all.toString();
  }

  private static void section(StringBuilder all, String title, String text) {
    if (!text.isEmpty()) {
      all.append(title).append(text).append(text.endsWith("\n") ? "" : "\n");
    }
  }

  /** Where programs of a repository begin, by the names of files. */
  private static final class EntryPoints {
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

  /** The folders that are modules: those with a build file. */
  private static final class ModuleMap {
    private static final int MAX_MODULES = 5_000;

    private static final Map<String, String> BUILD_FILES =
        Map.ofEntries(
            Map.entry("pom.xml", "Maven"),
            Map.entry("build.gradle", "Gradle"),
            Map.entry("build.gradle.kts", "Gradle"),
            Map.entry("build.sbt", "sbt"),
            Map.entry("package.json", "npm"),
            Map.entry("deno.json", "Deno"),
            Map.entry("go.mod", "Go"),
            Map.entry("Cargo.toml", "Cargo"),
            Map.entry("pyproject.toml", "Python"),
            Map.entry("setup.py", "Python"),
            Map.entry("CMakeLists.txt", "CMake"),
            Map.entry("meson.build", "Meson"),
            Map.entry("Gemfile", "Ruby"),
            Map.entry("composer.json", "PHP"),
            Map.entry("mix.exs", "Elixir"),
            Map.entry("pubspec.yaml", "Dart"),
            Map.entry("Package.swift", "Swift"),
            Map.entry("BUILD", "Bazel"),
            Map.entry("BUILD.bazel", "Bazel"));

    private static final Map<String, String> BUILD_ENDINGS =
        Map.of(".csproj", ".NET", ".fsproj", ".NET", ".vbproj", ".NET", ".vcxproj", "MSBuild");

    private final Map<String, Set<String>> modules = new LinkedHashMap<>();
    private final Map<String, Integer> beyond = new LinkedHashMap<>();

    void add(String path) {
      int slash = path.lastIndexOf('/');
      String build = build(path.substring(slash + 1));
      if (build == null) {
        return;
      }
      String folder = path.substring(0, slash + 1);
      if (modules.size() < MAX_MODULES || modules.containsKey(folder)) {
        modules.computeIfAbsent(folder, each -> new TreeSet<>()).add(build);
      } else {
        beyond.merge(FairCut.top(path), 1, Integer::sum);
      }
    }

    private static @Nullable String build(String name) {
      int dot = name.lastIndexOf('.');
      String named = BUILD_FILES.get(name);
      return named != null || dot < 0 ? named : BUILD_ENDINGS.get(name.substring(dot));
    }

    String text(int room) {
      var lines = new FairCut(MAX_MODULES);
      modules.forEach((folder, builds) ->
          lines.add(
              folder, (folder.isEmpty() ? "./" : folder) + " (" + String.join(", ", builds) + ")"));
      beyond.forEach(lines::addUnknown);
      return lines.text(room, "modules");
    }
  }

  /** The folders of a repository with the names of their first files. */
  private static final class FolderTree {
    private static final int MAX_FOLDERS = 40_000;
    private static final int MAX_NAMES = 12;

    private final Map<String, Names> folders = new LinkedHashMap<>();

    /** How many folders of each top-level folder are not kept. */
    private final Map<String, Integer> beyond = new HashMap<>();

    private String lastBeyond = "";

    /** The first files of one folder, and how many there are. */
    private static final class Names {
      private final List<String> first = new ArrayList<>(2);
      private int all;
    }

    /** Adds a file. The files of one folder come one after the other. */
    void add(String path) {
      int slash = path.lastIndexOf('/');
      String folder = path.substring(0, slash + 1);
      Names names = folders.get(folder);
      if (names == null && folders.size() < MAX_FOLDERS) {
        names = new Names();
        folders.put(folder, names);
      }
      if (names == null) {
        count(folder, path);
        return;
      }
      names.all++;
      if (names.first.size() < MAX_NAMES) {
        names.first.add(path.substring(slash + 1));
      }
    }

    private void count(String folder, String path) {
      if (!folder.equals(lastBeyond)) {
        beyond.merge(FairCut.top(path), 1, Integer::sum);
        lastBeyond = folder;
      }
    }

    String text(int room) {
      var lines = new FairCut(MAX_FOLDERS);
      folders.forEach((folder, names) -> lines.add(folder, line(folder, names)));
      beyond.forEach(lines::addUnknown);
      return lines.text(room, "folders with files");
    }

    private static String line(String folder, Names names) {
      int more = names.all - names.first.size();
      return (folder.isEmpty() ? "./" : folder)
          + ": "
          + String.join(" ", names.first)
          + (more > 0 ? " and " + more + " more" : "");
    }
  }
}
