package dev.flyball.ops.console.page;

import dev.flyball.contract.item.ItemKey;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Addresses of the console's pages, and which foreign addresses become links. */
public final class PageLinks {
  private static final int LONGEST_SESSION = 64;
  private static final int LONGEST_SOURCE = 200;

  private PageLinks() {}

  /** An item's page. */
  public static String item(String key) {
    return "/item?key=" + encoded(key);
  }

  /** The page of what an operator acted on, if that is an item; empty for a scope. */
  public static String target(String target) {
    try {
      return item(ItemKey.parse(target).toString());
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** The output of a session; events of another writer may name one of any length. */
  public static String log(String session) {
    return "/log?session="
        + encoded(session.substring(0, Math.min(session.length(), LONGEST_SESSION)));
  }

  /** The polls of a source; events of another writer may name one of any length. */
  public static String polls(String source) {
    return "/history/polls?source="
        + encoded(source.substring(0, Math.min(source.length(), LONGEST_SOURCE)));
  }

  /** A tracker's address if a browser may open it, else null: only http and https are links. */
  public static @Nullable String tracker(@Nullable String url) {
    return url != null && (url.startsWith("https://") || url.startsWith("http://")) ? url : null;
  }

  /** A value within a query. */
  static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }
}
