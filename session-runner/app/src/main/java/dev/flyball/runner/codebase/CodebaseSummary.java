package dev.flyball.runner.codebase;

import dev.flyball.contract.text.OneLine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Summarises a repository from its paths: endings, modules, entry points and the tree. It keeps a
 * bounded part of what it is given, so that a repository of any size can be added. The paths of one
 * folder come one after the other.
 */
public final class CodebaseSummary {
  private static final int MODULES_ROOM = 2_500;
  private static final int ENTRIES_ROOM = 2_000;
  private static final int TREE_ROOM = 7_000;

  private static final int MAX_NAMES = 12;

  /** Names of files with which programs begin, wherever they are. */
  private static final Pattern NAME =
      Pattern.compile(
          "[A-Za-z0-9]*(?:Main|Application)\\.(?:java|kt|scala)"
              + "|main\\.(?:go|py|c|cc|cpp|rs|dart|js|ts|tsx)|Program\\.(?:cs|fs)"
              + "|__main__\\.py|(?:manage|wsgi|asgi|app)\\.py|server\\.(?:js|ts)");

  /** Names of files at the root that start, build or deploy. */
  private static final Set<String> AT_ROOT =
      Set.of(
          ("Makefile justfile Taskfile.yml Dockerfile docker-compose.yml"
                  + " docker-compose.yaml compose.yml compose.yaml")
              .split(" "));

  /** Folders of programs, at the root or one below it. */
  private static final Set<String> PROGRAMS = Set.of("bin", "scripts");

  /** Programs that only test are no entry points. */
  private static final Pattern TEST = Pattern.compile("(?:^|/)(?:tests?|testdata|fixtures)/");

  /** Names of the build files by which a folder is a module. */
  private static final Pattern BUILD =
      Pattern.compile(
          "pom\\.xml|build\\.(?:gradle(?:\\.kts)?|sbt)|(?:package|deno|composer)\\.json|go\\.mod"
              + "|Cargo\\.toml|pyproject\\.toml|setup\\.py|CMakeLists\\.txt|meson\\.build|Gemfile"
              + "|mix\\.exs|pubspec\\.yaml|Package\\.swift|BUILD(?:\\.bazel)?|.+\\.(?:cs|fs|vb|vcx)proj");

  /** Endings are foreign text: most that are counted apart, and most characters of one. */
  private static final int MAX_ENDINGS = 1_000;

  private static final int MAX_ENDING = 13;
  private static final int ENDINGS_SHOWN = 12;

  /** How many files have a name with this ending. */
  private final Map<String, Integer> endings = new TreeMap<>();

  private final FairCut modules = new FairCut(5_000);
  private final FairCut entries = new FairCut(2_000);
  private final FairCut tree = new FairCut(40_000);
  private int files;

  /** The folder whose files come now. */
  private String folder = "";

  private final List<String> names = new ArrayList<>();
  private final Set<String> builds = new TreeSet<>();
  private int filesOfFolder;

  /** Adds a file; its path is relative to the root, with forward slashes. */
  public void add(String path) {
    int slash = path.lastIndexOf('/');
    String name = path.substring(slash + 1);
    if (!path.substring(0, slash + 1).equals(folder)) {
      endFolder();
      folder = path.substring(0, slash + 1);
    }
    files++;
    filesOfFolder++;
    if (names.size() < MAX_NAMES) {
      names.add(name);
    }
    addEnding(name);
    if (BUILD.matcher(name).matches()) {
      builds.add(name);
    }
    if (starts(path, name)) {
      entries.add(path, path);
    }
  }

  private void addEnding(String name) {
    int dot = name.lastIndexOf('.');
    String ending = name.substring(Math.max(0, dot)).toLowerCase(Locale.ROOT);
    if (dot > 0
        && ending.length() <= MAX_ENDING
        && (endings.size() < MAX_ENDINGS || endings.containsKey(ending))) {
      endings.merge(ending, 1, Integer::sum);
    }
  }

  private String endings() {
    return endings.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .limit(ENDINGS_SHOWN)
        .map(each -> each.getKey().replaceAll("\\p{Cntrl}", " ") + " " + each.getValue())
        .collect(Collectors.joining(", "));
  }

  private void endFolder() {
    String shown = folder.isEmpty() ? "./" : folder;
    if (!names.isEmpty()) {
      int more = filesOfFolder - names.size();
      String rest = more > 0 ? " and " + more + " more" : "";
      tree.add(folder, shown + ": " + String.join(" ", names) + rest);
    }
    if (!builds.isEmpty()) {
      modules.add(folder, shown + " (" + String.join(", ", builds) + ")");
    }
    names.clear();
    builds.clear();
    filesOfFolder = 0;
  }

  private static boolean starts(String path, String name) {
    int slash = path.length() - name.length() - 1;
    if (slash < 0 && AT_ROOT.contains(name)) {
      return true;
    }
    String last = slash < 0 ? "" : path.substring(path.lastIndexOf('/', slash - 1) + 1, slash);
    return ((PROGRAMS.contains(last) && path.chars().filter(c -> c == '/').count() <= 2)
            || path.endsWith("src/bin/" + name)
            || NAME.matcher(name).matches())
        && !TEST.matcher(path).find();
  }

  /** How many files were added. */
  public int files() {
    return files;
  }

  /**
   * The commit, endings, modules, entry points and tree, bounded, with a line end at the end; empty
   * if no file was added. Call it once, after everything was added.
   *
   * @param commit the commit that was read, null if there is none
   * @param complete whether every file was added
   */
  public String of(@Nullable String commit, boolean complete) {
    if (files == 0) {
      return "";
    }
    endFolder();
    var all = new StringBuilder(16_384);
    all.append(commit == null ? "No commit: a folder as it is" : "Commit " + commit);
    all.append(complete ? ", " : ", at least ").append(files).append(" files.\n");
    if (!complete) {
      all.append("The repository is too large to be listed completely; files exist that are not")
          .append(" named here.\n");
    }
    section(all, "Files by ending:\n", endings());
    section(all, "Modules:\n", modules.text(MODULES_ROOM, "modules"));
    section(all, "Entry points:\n", entries.text(ENTRIES_ROOM, "entry points"));
    section(all, "Folders and files:\n", tree.text(TREE_ROOM, "folders with files"));
    return all.toString();
  }

  private static void section(StringBuilder all, String title, String text) {
    if (!text.isEmpty()) {
      all.append(title).append(text).append(text.endsWith("\n") ? "" : "\n");
    }
  }

  /**
   * Lines about paths that are cut to a size: the top-level folders get their lines in turn, the
   * shallowest first, so that a large folder does not displace the others. What was cut is named.
   */
  private static final class FairCut {
    private static final int MAX_LINE = 300;

    /** Room for the line that names what was cut. */
    private static final int REST = 300;

    private static final int NAMED = 5;

    private final int most;
    private final Map<String, Group> groups = new TreeMap<>();
    private int kept;

    /** Keeps this many lines; of further ones it only counts how many each folder has. */
    FairCut(int most) {
      this.most = most;
    }

    private record Line(String path, String text) {}

    private static final class Group {
      private final List<Line> lines = new ArrayList<>();
      private int all;
      private int shown;
    }

    /** Adds a line about a path; names are foreign and may contain line ends. */
    void add(String path, String line) {
      Group group = groups.computeIfAbsent(top(path), folder -> new Group());
      group.all++;
      if (kept < most) {
        group.lines.add(
            new Line(path, OneLine.start(line.replaceAll("\\p{Cntrl}", " "), MAX_LINE)));
        kept++;
      }
    }

    /**
     * The lines that fit.
     *
     * @param room most characters, of which the last line needs some
     * @param what what the lines are, in the plural, for the last line
     */
    String text(int room, String what) {
      groups.values().forEach(each -> each.lines.sort(Comparator.comparingLong(FairCut::depth)));
      int left = room - REST;
      var open = new ArrayList<>(groups.values());
      while (!open.isEmpty()) {
        for (Group group : List.copyOf(open)) {
          int needed =
              group.shown < group.lines.size()
                  ? group.lines.get(group.shown).text().length() + 1
                  : Integer.MAX_VALUE;
          if (needed > left) {
            open.remove(group);
          } else {
            group.shown++;
            left -= needed;
          }
        }
      }
      return groups.values().stream()
              .flatMap(group -> group.lines.stream().limit(group.shown))
              .map(line -> line.text() + "\n")
              .collect(Collectors.joining())
          + rest(what);
    }

    private String rest(String what) {
      List<Map.Entry<String, Group>> cut =
          groups.entrySet().stream()
              .filter(each -> each.getValue().all > each.getValue().shown)
              .sorted(Comparator.comparingInt(each -> each.getValue().shown - each.getValue().all))
              .toList();
      if (cut.isEmpty()) {
        return "";
      }
      int all = groups.values().stream().mapToInt(each -> each.all).sum();
      int shown = groups.values().stream().mapToInt(each -> each.shown).sum();
      String named =
          cut.stream()
              .limit(NAMED)
              .map(each ->
                  (each.getValue().all - each.getValue().shown)
                      + " in "
                      + OneLine.of(each.getKey(), 30))
              .collect(Collectors.joining(", "));
      String others = cut.size() > NAMED ? ", and in " + (cut.size() - NAMED) + " others" : "";
      String missing = (all - shown) + " of " + all + " " + what;
      return "Cut: " + missing + " are not shown (" + named + others + ").\n";
    }

    /** The top-level folder of a path, {@code ./} for a file of the root. */
    private static String top(String path) {
      int slash = path.indexOf('/');
      return slash < 0 ? "./" : path.substring(0, slash + 1);
    }

    private static long depth(Line line) {
      return line.path().chars().filter(c -> c == '/').count();
    }
  }
}
