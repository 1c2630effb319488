package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.page.NowPage.Upcoming;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /**
   * What the Items view looks for; the address of the view holds all of it, so that it can be
   * shared.
   *
   * @param text parts of the key or title, empty for any
   * @param state a state's name, empty for any
   * @param tenant empty for any
   * @param source a source's name, empty for any
   * @param after the place after which the page's rows begin, empty for the start
   */
  public record ItemsQuery(String text, String state, String tenant, String source, String after) {
    /** Rows of a page. */
    public static final int PAGE = 50;

    /**
     * The query of an address; values that mean nothing match all. A source that is named with its
     * tenant also selects the tenant.
     */
    public static ItemsQuery of(Map<String, String> query) {
      String state = query.getOrDefault("state", "");
      String after = query.getOrDefault("after", "");
      String source = Display.line(query.get("source"), 129);
      int slash = source.indexOf('/');
      return new ItemsQuery(
          Display.line(query.get("text"), Display.TITLE),
          ItemFilter.STATES.contains(state) ? state : "",
          slash < 0 ? Display.line(query.get("tenant"), 64) : source.substring(0, slash),
          source.substring(slash + 1),
          ItemFilter.isPlace(after) ? after : "");
    }

    /** The filter of this page's rows: it returns one more if another page follows. */
    public ItemFilter filter() {
      return new ItemFilter(
          known(state), known(tenant), known(sourceKey()), known(text), known(after), PAGE + 1);
    }

    /** The source as a filter names it: with its tenant, if that is known. */
    public String sourceKey() {
      return source.isEmpty() || tenant.isEmpty() ? source : tenant + "/" + source;
    }

    /** Whether it matches everything. */
    public boolean empty() {
      return text.isEmpty() && state.isEmpty() && tenant.isEmpty() && source.isEmpty();
    }

    /** The address of the first page of the same matches. */
    public String first() {
      return at("");
    }

    /** The address of the page of the same matches that begins after a place. */
    public String at(String place) {
      var parts = new ArrayList<String>();
      add(parts, "text", text);
      add(parts, "state", state);
      add(parts, "tenant", tenant);
      add(parts, "source", source);
      add(parts, "after", place);
      return parts.isEmpty() ? "/items" : "/items?" + String.join("&", parts);
    }

    /** The address of the page that asks before an action on all matches. */
    public String confirm(String action) {
      String all = first();
      return all + (all.contains("?") ? "&" : "?") + "confirm=" + action;
    }

    private static void add(List<String> parts, String name, String value) {
      if (!value.isEmpty()) {
        parts.add(name + "=" + PageLinks.encoded(value));
      }
    }

    private static @Nullable String known(String value) {
      return value.isEmpty() ? null : value;
    }
  }
}
