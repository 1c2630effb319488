package dev.flyball.ops.console.view;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which items are returned; null matches all.
 *
 * @param state the state's name
 * @param tenant the tenant
 * @param source {@code tenant/source}; without a slash the sources of this name in every tenant
 * @param text parts of the key or the title, separated by spaces, whatever their case: an item
 *     matches if it has all of them
 * @param after the place after which rows begin, as {@link #placeOf} returns it; null for the start
 * @param limit most rows returned
 */
public record ItemFilter(
    @Nullable String state,
    @Nullable String tenant,
    @Nullable String source,
    @Nullable String text,
    @Nullable String after,
    int limit) {
  /** The names of all states in the order of lists: what runs comes first. */
  public static final List<String> STATES =
      List.of(
          "running",
          "queued",
          "triaging",
          "new",
          "failed",
          "dead",
          "analyzed",
          "skipped",
          "cancelled",
          "closed");

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,40}");

  private static final Pattern PLACE =
      Pattern.compile("\\d{1,2}\\.-?\\d{1,9}\\..+", Pattern.DOTALL);

  /** Most rows returned unless given. */
  public static final int DEFAULT_LIMIT = 1_000;

  /** Items are counted up to this number; a count above it means "more". */
  public static final int COUNTED = 10_000;

  /** More characters of a text are not compared. */
  public static final int LONGEST_TEXT = 200;

  /** A filter that matches every item, up to the default limit. */
  public static final ItemFilter ALL = new ItemFilter(null, null, null, DEFAULT_LIMIT);

  /**
   * Rejects a state that does not exist, and a place that no list returned.
   *
   * @throws IllegalArgumentException with one line
   */
  public ItemFilter {
    if (state != null && !STATES.contains(state)) {
      throw new IllegalArgumentException(
          "there is no such state; allowed are " + String.join(", ", STATES));
    }
    if (after != null && !isPlace(after)) {
      throw new IllegalArgumentException(
          "after: '" + after + "' is no place in a list of items; take the one of the last row");
    }
  }

  /** A filter without a source that begins at the start. */
  public ItemFilter(
      @Nullable String state, @Nullable String tenant, @Nullable String text, int limit) {
    this(state, tenant, null, text, null, limit);
  }

  /** Whether a text has the form of a place in a list. */
  public static boolean isPlace(String text) {
    return PLACE.matcher(text).matches();
  }

  /**
   * A text by which keys sort as people count: 2 before 10. Each number has its length before it.
   */
  public static String sorted(String key) {
    return NUMBER.matcher(key).replaceAll(it -> (char) ('0' + it.group().length()) + it.group());
  }

  /** The place of a row in lists; it stays valid when rows before or after it change. */
  public static String placeOf(ItemRow row) {
    return turn(row.state()) + "." + row.priority() + "." + row.key();
  }

  /**
   * The filter that a query or a form names; an empty value matches all.
   *
   * @throws IllegalArgumentException with one line, as above
   */
  public static ItemFilter of(Map<String, String> fields, int limit) {
    return new ItemFilter(
        given(fields.get("state")),
        given(fields.get("tenant")),
        given(fields.get("source")),
        given(fields.get("text")),
        given(fields.get("after")),
        limit);
  }

  private static @Nullable String given(@Nullable String value) {
    return value == null || value.isBlank() ? null : value.strip();
  }

  /** The same filter from the start, for items in this state; null for any. */
  public ItemFilter inState(@Nullable String wanted) {
    return new ItemFilter(wanted, tenant, source, text, null, limit);
  }

  /** The same filter for so many rows after a place. */
  public ItemFilter page(@Nullable String place, int most) {
    return new ItemFilter(state, tenant, source, text, place, most);
  }

  /** Whether it matches every item. */
  public boolean matchesAll() {
    return state == null && tenant == null && source == null && text == null;
  }

  /** Which turn items of a state have in lists, from 0; unknown states are last. */
  public static int turn(String state) {
    int turn = STATES.indexOf(state);
    return turn < 0 ? STATES.size() : turn;
  }

  /** The parts of the text, in lower case. */
  public List<String> parts() {
    if (text == null || text.isBlank()) {
      return List.of();
    }
    String bounded = text.substring(0, Math.min(text.length(), LONGEST_TEXT));
    return Arrays.stream(bounded.toLowerCase(Locale.ROOT).strip().split("\\s+"))
        .distinct()
        .toList();
  }
}
