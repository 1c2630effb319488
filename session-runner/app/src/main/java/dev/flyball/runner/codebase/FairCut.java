package dev.flyball.runner.codebase;

import dev.flyball.contract.text.OneLine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Lines about paths that are cut to a size: the top-level folders get their lines in turn, the
 * shallowest first, so that a large folder does not displace the others. What was cut is named.
 */
final class FairCut {
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

  /** The lines of one top-level folder. */
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
      group.lines.add(new Line(path, OneLine.start(line.replaceAll("\\p{Cntrl}", " "), MAX_LINE)));
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
    var text = new StringBuilder();
    for (Group group : groups.values()) {
      for (Line line : group.lines.subList(0, group.shown)) {
        text.append(line.text()).append('\n');
      }
    }
    return text.append(rest(what)).toString();
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
    return "Cut: "
        + (all - shown)
        + " of "
        + all
        + " "
        + what
        + " are not shown ("
        + named
        + others
        + ").\n";
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
