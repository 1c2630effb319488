package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * The view of items that match a search.
 *
 * @param found the matches up to this page, and one more if there is one
 * @param total all matches
 */
public record ItemsPage(ItemsQuery query, List<ItemRow> found, long total, Instant now) {
  public ItemsPage {
    found = List.copyOf(found);
  }

  /** The states to choose from. */
  public List<String> states() {
    return ItemFilter.STATES;
  }

  /** The rows of this page. */
  public List<ItemRow> rows() {
    return found.stream()
        .filter(it -> query.matches(it.key()))
        .skip((long) query.page() * ItemsQuery.PAGE)
        .limit(ItemsQuery.PAGE)
        .toList();
  }

  /** The address of the previous page; empty if this is the first. */
  public String previous() {
    return query.page() == 0 ? "" : query.at(query.page() - 1);
  }

  /** The address of the next page; empty if this is the last. */
  public String following() {
    boolean more = found.size() > (query.page() + 1) * ItemsQuery.PAGE;
    return more && query.page() + 1 < ItemsQuery.PAGES ? query.at(query.page() + 1) : "";
  }

  /** When an item changed last. */
  public String changed(ItemRow row) {
    return TimeSpan.age(Duration.between(row.updatedAt(), now)) + " ago";
  }

  /** The name of an action on all matches, for example {@code Retry 1,204 items}. */
  public String named(String action) {
    return action.substring(0, 1).toUpperCase(Locale.ROOT)
        + action.substring(1)
        + (total == 1 ? " 1 item" : " " + Display.grouped(total) + " items");
  }

  /** What to say where nothing is listed. */
  public String nothing() {
    return query.empty()
        ? "No item is known yet. The next poll of a source brings some."
        : "No item matches. Clear the search to see all.";
  }
}
