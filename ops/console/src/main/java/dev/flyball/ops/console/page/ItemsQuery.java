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
 * @param page which part of the matches, from 0
 */
public record ItemsQuery(String text, String state, String tenant, String source, int page) {
  /** Rows of a page. */
  public static final int PAGE = 50;

  /** Pages that can be reached; a longer list is for the search, not for paging. */
  public static final int PAGES = 200;

  /** The query of an address; values that mean nothing match all. */
  public static ItemsQuery of(Map<String, String> query, int page) {
    String state = query.getOrDefault("state", "");
    return new ItemsQuery(
        Display.line(query.get("text"), Display.TITLE),
        ItemFilter.STATES.contains(state) ? state : "",
        Display.line(query.get("tenant"), 64),
        Display.line(query.get("source"), 64),
        Math.min(page, PAGES - 1));
  }

  /**
   * The filter of this page's rows: it returns every row up to it, and one more if there is one.
   */
  public ItemFilter filter() {
    return new ItemFilter(known(state), known(tenant), known(texts()), (page + 1) * PAGE + 1);
  }

  /** A source is part of each key, so that it can be searched for. */
  private String texts() {
    return !text.isEmpty() || source.isEmpty() ? text : "/" + source + "/";
  }

  /** Whether a key is of the source. */
  public boolean matches(String key) {
    return source.isEmpty() || key.contains("/" + source + "/");
  }

  /** Whether it matches everything. */
  public boolean empty() {
    return text.isEmpty() && state.isEmpty() && tenant.isEmpty() && source.isEmpty();
  }

  /** Whether an action on all matches is possible: it selects by state, tenant and text. */
  public boolean selects() {
    return source.isEmpty() && !empty();
  }

  /** The address of another page of the same matches. */
  public String at(int other) {
    var parts = new ArrayList<String>();
    add(parts, "text", text);
    add(parts, "state", state);
    add(parts, "tenant", tenant);
    add(parts, "source", source);
    add(parts, "page", other == 0 ? "" : Integer.toString(other));
    return parts.isEmpty() ? "/items" : "/items?" + String.join("&", parts);
  }

  /** The address of the page that asks before an action on all matches. */
  public String confirm(String action) {
    String all = at(0);
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
