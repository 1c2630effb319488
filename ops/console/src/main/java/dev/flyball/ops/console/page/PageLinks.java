package dev.flyball.ops.console.page;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Addresses of the console's pages, and which foreign addresses become links. */
public final class PageLinks {
  private static final int LONGEST_SESSION = 64;

  private PageLinks() {}

  /** An item's page. */
  public static String item(String key) {
    return "/item?key=" + encoded(key);
  }

  /** The output of a session; events of another writer may name one of any length. */
  public static String log(String session) {
    return "/log?session="
        + encoded(session.substring(0, Math.min(session.length(), LONGEST_SESSION)));
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
