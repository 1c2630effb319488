package dev.flyball.ops.console.projection;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What items are searched by: their key and title in lower case, and every three characters in a
 * row of it. Pure.
 */
public final class ItemText {
  /** A longer title is searched by its beginning. */
  private static final int LONGEST = 2_000;

  /** Ends the key, and occurs in no key. */
  private static final char END = '\n';

  private static final int GRAM = 3;

  /** Would end the query. */
  private static final String NUL = "\0";

  /** Of one part. */
  private static final int MOST_GRAMS = 4;

  /** Of all parts together. */
  private static final int MOST_IN_ALL = 24;

  private ItemText() {}

  /** The text of an item. */
  static String of(String key, String title) {
    String all = key + END + title;
    return all.substring(0, Math.min(all.length(), LONGEST)).toLowerCase(Locale.ROOT);
  }

  /** The end of the texts whose key ends with this id. */
  public static String endOfKey(String id) {
    return ("/" + id + END).toLowerCase(Locale.ROOT);
  }

  /**
   * The query of the table item_text for rows that may contain all parts; empty if all parts are
   * too short for it. Each gram is quoted, so nothing in a part has a meaning in the query.
   *
   * @param parts in lower case
   */
  public static Optional<String> query(Collection<String> parts) {
    var grams = new LinkedHashSet<String>();
    parts.forEach(part -> add(grams, part));
    return grams.isEmpty()
        ? Optional.empty()
        : Optional.of(
            grams.stream()
                .limit(MOST_IN_ALL)
                .map(gram -> '"' + gram.replace("\"", "\"\"") + '"')
                .collect(Collectors.joining(" AND ")));
  }

  /**
   * Every second gram from the end, because a key ends with what few others have. A few are enough:
   * a row that has them is compared with the whole part.
   */
  private static void add(Collection<String> grams, String part) {
    List<String> characters = part.codePoints().mapToObj(Character::toString).toList();
    int last = characters.size() - GRAM;
    for (int i = last; i >= 0 && i > last - 2 * MOST_GRAMS; i -= 2) {
      List<String> gram = characters.subList(i, i + GRAM);
      if (!gram.contains(NUL)) {
        grams.add(String.join("", gram));
      }
    }
  }
}
