package dev.flyball.ops.console.page;

import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.SourceStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The view of items that match a search. Its address holds all that it looks for, so that it can be
 * shared.
 *
 * @param filter of the rows of this page, and of one more
 * @param found the matches of this page, and one more if there is one
 * @param total all matches
 * @param states how many items the viewer may see in each state; absent states have none
 * @param sources all that were polled; needed only if nothing is found
 */
public record ItemsPage(
    ItemFilter filter,
    List<ItemRow> found,
    long total,
    Map<String, Long> states,
    List<SourceStatus> sources,
    Instant now) {
  /**
   * The filter of an address; values that mean nothing match all. A source that is named with its
   * tenant also selects the tenant.
   */
  public static ItemFilter filter(Map<String, String> query) {
    String state = query.getOrDefault("state", "");
    String after = query.getOrDefault("after", "");
    String source = Display.line(query.get("source"), 129);
    String tenant =
        source.contains("/") ? TenantScope.tenantOf(source) : Display.line(query.get("tenant"), 64);
    boolean bare = source.isEmpty() || source.contains("/") || tenant.isEmpty();
    return ItemFilter.of(
        Map.of(
            "state", ItemFilter.STATES.contains(state) ? state : "",
            "tenant", tenant,
            "source", bare ? source : tenant + "/" + source,
            "text", Display.line(query.get("text"), Display.TITLE),
            "after", ItemFilter.isPlace(after) ? after : ""),
        OlderRows.ASKED);
  }

  /** The rows of this page, and where the next and the first one are. */
  public OlderRows<ItemRow> part() {
    return OlderRows.of(found, address(), filter.after(), ItemFilter::placeOf);
  }

  /** The address of the first page of the same matches. */
  public String address() {
    return address(filter);
  }

  /** The address of the page that asks before an action on all matches. */
  public String confirm(String action) {
    return address() + (address().contains("?") ? "&" : "?") + "confirm=" + action;
  }

  /** The address of the same search in one state; in any if it is null. */
  public String in(@Nullable String state) {
    return address(filter.inState(state));
  }

  /** The source's name without its tenant, which is a separate field; null for any source. */
  public @Nullable String source() {
    return source(filter);
  }

  private static @Nullable String source(ItemFilter filter) {
    String source = filter.source();
    return source == null ? null : source.substring(source.indexOf('/') + 1);
  }

  private static String address(ItemFilter filter) {
    var parts = new ArrayList<String>();
    add(parts, "text", filter.text());
    add(parts, "state", filter.state());
    add(parts, "tenant", filter.tenant());
    add(parts, "source", source(filter));
    return parts.isEmpty() ? "/items" : "/items?" + String.join("&", parts);
  }

  private static void add(List<String> parts, String name, @Nullable String value) {
    if (value != null) {
      parts.add(name + "=" + PageLinks.encoded(value));
    }
  }

  /** How many items match; above {@link ItemFilter#COUNTED} they are not counted. */
  public String count() {
    return total > ItemFilter.COUNTED
        ? "more than " + Display.grouped(ItemFilter.COUNTED)
        : Display.grouped(total);
  }

  /** Whether one action may change all matches: there are some, and not too many. */
  public boolean selects(int most) {
    return !filter.matchesAll() && total > 0 && total <= most;
  }

  /** Whether a viewer may change all matches. */
  public boolean changedBy(Viewer viewer) {
    return filter.tenant() == null
        ? viewer.mayEverywhere(AccessRole.OPERATOR)
        : viewer.may(filter.tenant(), AccessRole.OPERATOR);
  }

  /** The name of an action on all matches, for example {@code Retry 1,204 items}. */
  public String named(String action) {
    // "Cancel" is what a dialog's way back is called elsewhere; this one ends what runs.
    return (action.equals("cancel") ? "End or withdraw" : Display.sentence(action))
        + (total == 1 ? " 1 item" : " " + Display.grouped(total) + " items");
  }

  /** What to say where nothing is listed. */
  public String nothing() {
    if (filter.after() != null) {
      return "No item is left after this place. The first page has all that match.";
    }
    return filter.matchesAll()
        ? "No item is known yet. " + PollTimes.next(sources, now)
        : "No item matches. Clear the search to see all.";
  }
}
