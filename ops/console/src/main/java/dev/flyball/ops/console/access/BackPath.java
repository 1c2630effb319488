package dev.flyball.ops.console.access;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Where a browser continues after a form: only at a path of this server. */
public final class BackPath {
  private static final int LONGEST = 2_000;

  private BackPath() {}

  /** The path if it is one of this server, else {@code /}. */
  public static String of(@Nullable String back) {
    return back != null && local(back) ? back : "/";
  }

  /** The path with a notice in its query, which the page shows. */
  public static String withNotice(@Nullable String back, String notice) {
    String path = of(back);
    int fragment = path.indexOf('#');
    String before = fragment < 0 ? path : path.substring(0, fragment);
    return before
        + (before.contains("?") ? "&" : "?")
        + "notice="
        + URLEncoder.encode(notice, StandardCharsets.UTF_8);
  }

  /** Two slashes, or a slash and a backslash, begin the name of another server. */
  private static boolean local(String back) {
    return back.length() <= LONGEST
        && back.startsWith("/")
        && !back.startsWith("//")
        && back.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
  }
}
