package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/** Where a link goes, as far as a reader needs to know. */
final class Address {
  private static final int MOST = 500;

  /** Parameters that record where a visitor came from, and do not affect where the link goes. */
  private static final Pattern TRACKING =
      Pattern.compile(
          "(?<=[?&])(?:utm_[^=&#]*|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_cid|mc_eid|mkt_tok"
              + "|_hsenc|_hsmi)(?:=[^&#]*)?(?:&|(?=#)|$)",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern NO_PARAMETERS = Pattern.compile("[?&](?=#|$)");

  /** Lead to no other page. */
  private static final Set<String> OTHER_SCHEMES = Set.of("javascript", "data", "vbscript");

  /** Trackers' classes for a mention of a person or team: only the name is shown. */
  private static final Set<String> MENTIONS =
      Set.of("user-mention", "user-hover", "team-mention", "jira-user", "confluence-userlink");

  private Address() {}

  /**
   * A link's address without tracking, cut where it is very long. Empty for a mention, and for a
   * link to a place of the same page, to a script or to inline data.
   */
  static String of(Element link) {
    String address = link.attr("href").strip();
    boolean mention =
        link.hasAttr("data-mention-id") || link.classNames().stream().anyMatch(MENTIONS::contains);
    String scheme = address.substring(0, Math.clamp(address.indexOf(':'), 0, 16));
    if (mention
        || address.startsWith("#")
        || OTHER_SCHEMES.contains(scheme.toLowerCase(Locale.ROOT))) {
      return "";
    }
    String plain = NO_PARAMETERS.matcher(TRACKING.matcher(address).replaceAll("")).replaceFirst("");
    return plain.length() > MOST ? plain.substring(0, MOST) + "..." : plain;
  }

  /** Whether a link's text is its address, possibly with parameters or a fragment after it. */
  static boolean isSaidBy(String text, String address) {
    int end = address.length();
    return text.startsWith(address)
        && (end == text.length() || end == 0 || "?&#".indexOf(text.charAt(end)) >= 0);
  }
}
