package dev.flyball.tracker.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The next page as named by a Link header (RFC 8288). Pure. */
public final class NextLink {
  private static final Pattern LINK = Pattern.compile("<([^>]*)>((?:[^,<\"]|\"[^\"]*\")*)");
  private static final Pattern NEXT =
      Pattern.compile(";\\s*rel\\s*=\\s*(?:\"(?:[^\"]*\\s)?next(?:\\s[^\"]*)?\"|next\\b)");

  private NextLink() {}

  /** The address, if there is a next page. */
  public static Optional<String> in(List<String> headers) {
    for (String header : headers) {
      Matcher link = LINK.matcher(header);
      while (link.find()) {
        if (NEXT.matcher(link.group(2)).find()) {
          return Optional.of(link.group(1));
        }
      }
    }
    return Optional.empty();
  }
}
