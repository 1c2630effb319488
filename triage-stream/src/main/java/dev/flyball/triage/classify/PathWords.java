package dev.flyball.triage.classify;

import dev.flyball.contract.item.Snapshot;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds text that may name places in a repository: paths and names of source files, never parts of
 * web addresses.
 */
final class PathWords {
  private static final int MOST = 8;
  private static final Pattern URL = Pattern.compile("\\b[a-z]{2,10}://\\S+");
  private static final Pattern PATH =
      Pattern.compile(
          "(?<![\\w/.-])(?:[\\w-]{1,60}/){1,12}[\\w.-]{1,80}(?<!\\.)"
              + "|\\b[\\w-]{1,80}\\.(?:java|kt|scala|py|go|rs|ts|tsx|js|jsx|c|h|cpp|cs|rb|php|sql|sh|yaml|yml|xml|json|md|html|css)\\b");

  private PathWords() {}

  static List<String> in(Snapshot snapshot) {
    return in(snapshot.title() + "\n" + snapshot.text());
  }

  /** The first eight distinct ones, in the order of the text. */
  static List<String> in(String text) {
    return PATH.matcher(URL.matcher(text).replaceAll(" "))
        .results()
        .map(MatchResult::group)
        .filter(PathWords::likely)
        .distinct()
        .limit(MOST)
        .toList();
  }

  /** "and/or", "1/2", "w/o" are no paths. */
  private static boolean likely(String word) {
    String[] parts = word.split("/");
    if (parts.length == 1) {
      return true;
    }
    boolean named = false;
    for (String part : parts) {
      named |= part.length() >= 4 && Character.isLetter(part.charAt(0));
    }
    return named
        && (parts.length > 2 || word.contains(".") || word.contains("-") || word.contains("_"));
  }
}
