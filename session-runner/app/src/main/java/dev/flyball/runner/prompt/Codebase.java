package dev.flyball.runner.prompt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A summary of a repository, put together once for many sessions, so that no session has to search
 * for it: an agent without it lists the whole tree first.
 *
 * @param text a line for each folder with its files' names, the topmost folders first; bounded
 */
public record Codebase(String text) {
  /** The summary where nothing is known. */
  public static final Codebase UNKNOWN = new Codebase("");

  private static final int MAX_CHARS = 8_000;
  private static final int MAX_NAMES = 12;

  /**
   * Summarises the paths of a repository's files.
   *
   * @param paths relative to its root, with forward slashes
   */
  public static Codebase of(List<String> paths) {
    var names = new TreeMap<String, List<String>>(shallowFirst());
    for (String path : paths) {
      int slash = path.lastIndexOf('/');
      names
          .computeIfAbsent(path.substring(0, slash + 1), folder -> new ArrayList<>())
          .add(path.substring(slash + 1));
    }
    var text = new StringBuilder();
    int left = names.size();
    for (Map.Entry<String, List<String>> folder : names.entrySet()) {
      String line = line(folder.getKey(), folder.getValue());
      if (text.length() + line.length() > MAX_CHARS) {
        text.append("and ").append(left).append(" more folders\n");
        break;
      }
      text.append(line);
      left--;
    }
    return new Codebase(text.toString());
  }

  private static Comparator<String> shallowFirst() {
    return Comparator.comparingLong((String folder) -> folder.chars().filter(c -> c == '/').count())
        .thenComparing(Comparator.naturalOrder());
  }

  private static String line(String folder, List<String> names) {
    String shown = String.join(" ", names.subList(0, Math.min(MAX_NAMES, names.size())));
    int more = names.size() - MAX_NAMES;
    String line =
        (folder.isEmpty() ? "./" : folder)
            + ": "
            + shown
            + (more > 0 ? " and " + more + " more" : "");
    // A name may contain anything, including line ends.
    return line.replaceAll("\\p{Cntrl}", " ") + "\n";
  }
}
