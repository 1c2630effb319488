package dev.flyball.ops.console.access;

import org.jspecify.annotations.Nullable;

/** Where a browser continues after a form: only at a path of this server. */
public final class BackPath {
  private static final int LONGEST = 2_000;

  private BackPath() {}

  /** The path if it is one of this server, else {@code /}. */
  public static String of(@Nullable String back) {
    return back != null && local(back) ? back : "/";
  }

  /** Two slashes, or a slash and a backslash, begin the name of another server. */
  private static boolean local(String back) {
    return back.length() <= LONGEST
        && back.startsWith("/")
        && !back.startsWith("//")
        && back.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\');
  }
}
