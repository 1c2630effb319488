package dev.flyball.ops.console.page;

import dev.flyball.ops.console.view.ItemFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the Items view looks for; the address of the view holds all of it, so that it can be shared.
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
