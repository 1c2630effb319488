package dev.flyball.producer.text;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/**
 * Elements that a reader of the tracker's page does not see: trackers' pixels, mail programs'
 * leftovers, planted orders.
 */
final class Hidden {
  private static final Pattern STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|mso-hide:all|(?:^|;)(?:font-size|opacity):0(?:\\.0+)?(?:px|pt|em|rem|%)?(?:!important)?(?:;|$)");
  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final int MAX_STYLE = 4096;

  private Hidden() {}

  static boolean is(Element element) {
    if (element.hasAttr("hidden") || element.attr("aria-hidden").equalsIgnoreCase("true")) {
      return true;
    }
    String style = element.attr("style");
    if (style.isEmpty()) {
      return false;
    }
    String plain =
        BLANKS.matcher(style.substring(0, Math.min(style.length(), MAX_STYLE))).replaceAll("");
    return STYLE.matcher(plain.toLowerCase(Locale.ROOT)).find();
  }
}
