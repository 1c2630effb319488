package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.Set;
import org.jsoup.nodes.Element;

/** Where a link goes, as far as a reader needs to know. */
final class Address {
  private static final int MOST = 500;

  /** Parameters that record where a visitor came from, and do not affect where the link goes. */
  private static final Set<String> TRACKING =
      Set.of(
          "fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "mkt_tok",
          "_hsenc", "_hsmi");

  /** Trackers' classes for a mention of a person or team: only the name is shown. */
  private static final Set<String> MENTIONS =
      Set.of("user-mention", "user-hover", "team-mention", "jira-user", "confluence-userlink");

  private Address() {}

  /** A link's address; empty for a mention. */
  static String of(Element link) {
    boolean mention = link.classNames().stream().anyMatch(MENTIONS::contains);
    return mention || link.hasAttr("data-mention-id") ? "" : of(link.attr("href"));
  }

  /**
   * An address without tracking, cut where it is very long. Empty for a link that leads to no other
   * page: places of the same page, scripts, inline data.
   */
  static String of(String href) {
    String address = href.strip();
    if (address.startsWith("#") || !leads(address)) {
      return "";
    }
    String plain = withoutTracking(address);
    return plain.length() > MOST ? plain.substring(0, MOST) + "..." : plain;
  }

  private static boolean leads(String address) {
    int colon = address.indexOf(':');
    String scheme =
        colon < 0 ? "" : address.substring(0, Math.min(colon, 16)).toLowerCase(Locale.ROOT);
    return switch (scheme) {
      case "javascript", "data", "vbscript" -> false;
      default -> true;
    };
  }

  private static String withoutTracking(String address) {
    int query = address.indexOf('?');
    int fragment = address.indexOf('#');
    if (query < 0 || (fragment >= 0 && fragment < query)) {
      return address;
    }
    int end = fragment < 0 ? address.length() : fragment;
    var kept = new StringBuilder();
    int from = query + 1;
    while (from < end) {
      int next = address.indexOf('&', from);
      int to = next < 0 || next > end ? end : next;
      if (!tracking(address.substring(from, to))) {
        kept.append(kept.isEmpty() ? '?' : '&').append(address, from, to);
      }
      from = to + 1;
    }
    return address.substring(0, query) + kept + address.substring(end);
  }

  private static boolean tracking(String parameter) {
    int equals = parameter.indexOf('=');
    String name =
        (equals < 0 ? parameter : parameter.substring(0, equals)).toLowerCase(Locale.ROOT);
    return name.startsWith("utm_") || TRACKING.contains(name);
  }
}
