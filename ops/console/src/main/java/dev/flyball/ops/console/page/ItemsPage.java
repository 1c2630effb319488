package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/**
 * The view of items that match a search.
 *
 * @param found the matches of this page, and one more if there is one
 * @param total all matches
 * @param sources all that were polled; needed only if nothing is found
 */
public record ItemsPage(
    ItemsQuery query, List<ItemRow> found, long total, List<SourceStatus> sources, Instant now) {
  public ItemsPage {
    found = List.copyOf(found);
    sources = List.copyOf(sources);
  }

  /** The states to choose from. */
  public List<String> states() {
    return ItemFilter.STATES;
  }

  /** The rows of this page. */
  public List<ItemRow> rows() {
    return found.subList(0, Math.min(ItemsQuery.PAGE, found.size()));
  }

  /** The address of the first page; empty if this is it. */
  public String first() {
    return query.after().isEmpty() ? "" : query.first();
  }

  /** The address of the next page; empty if this is the last. */
  public String following() {
    return found.size() > ItemsQuery.PAGE ? query.at(ItemFilter.placeOf(rows().getLast())) : "";
  }

  /** How many items match; above {@link ItemFilter#COUNTED} they are not counted. */
  public String count() {
    return total > ItemFilter.COUNTED
        ? "more than " + Display.grouped(ItemFilter.COUNTED)
        : Display.grouped(total);
  }

  /** Whether one action may change all matches: there are some, and not too many. */
  public boolean selects(int most) {
    return !query.empty() && total > 0 && total <= most;
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
    if (!query.after().isEmpty()) {
      return "No item is left after this place. The first page has all that match.";
    }
    return query.empty()
        ? "No item is known yet. " + new Upcoming(List.of(), sources, now).poll()
        : "No item matches. Clear the search to see all.";
  }
}
