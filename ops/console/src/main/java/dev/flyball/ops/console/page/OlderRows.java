package dev.flyball.ops.console.page;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One part of a list that begins with the newest row. The next part begins after this one's last
 * row, so that no row is skipped or repeated when new ones arrive meanwhile.
 *
 * @param older the address of the next part; empty if this is the last
 * @param newest the address of the first part; empty if this is it
 */
public record OlderRows<T>(List<T> rows, String older, String newest) {
  /** Rows of one part. */
  public static final int PAGE = 50;

  /** How many rows to ask for: one more than a part has shows whether another part follows. */
  public static final int ASKED = PAGE + 1;

  public OlderRows {
    rows = List.copyOf(rows);
  }

  /**
   * The part that these rows begin.
   *
   * @param found at most {@link #ASKED} rows
   * @param path the list's address, without the place
   * @param after the place after which the rows begin, null for the newest
   * @param place where a row is in the list
   */
  public static <T> OlderRows<T> of(
      List<T> found, String path, @Nullable String after, Function<T, String> place) {
    List<T> rows = found.subList(0, Math.min(PAGE, found.size()));
    String begin = path + (path.contains("?") ? "&" : "?") + "after=";
    return new OlderRows<>(
        rows,
        found.size() > PAGE ? begin + PageLinks.encoded(place.apply(rows.getLast())) : "",
        after == null ? "" : path);
  }
}
