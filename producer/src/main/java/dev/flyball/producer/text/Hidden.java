package dev.flyball.producer.text;

import java.util.Locale;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/**
 * Elements that a reader of the tracker's page does not see: trackers' pixels, mail programs'
 * leftovers, planted orders.
 */
final class Hidden {
  /** What hides alone, in a style without blanks. */
  private static final Pattern STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|mso-hide:all"
              + "|(?:^|;)(?:font-size|opacity):0(?:\\.0+)?(?:px|pt|em|rem|%)?(?:!important)?(?:;|$)"
              + "|(?:^|;)font-size:1p[xt]|(?:^|;)(?:left|top|right|text-indent):-[0-9]{4}"
              + "|clip:rect\\(0|clip:rect\\(1px,1px,1px,1px|clip-path:inset\\(50%|transform:scale\\(0\\)");

  /** A box without room hides only what cannot flow over. */
  private static final Pattern NO_ROOM =
      Pattern.compile("(?:^|;)(?:max-)?(?:width|height):[01](?:px|pt)?(?:!important)?(?:;|$)");

  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern POINT = Pattern.compile("\\s*[01](?:px)?\\s*");
  private static final int MAX_STYLE = 4096;

  private Hidden() {}

  static boolean is(Element element) {
    if (element.hasAttr("hidden") || element.attr("aria-hidden").equalsIgnoreCase("true")) {
      return true;
    }
    boolean picture = element.normalName().equals("img");
    if (picture && (point(element.attr("width")) || point(element.attr("height")))) {
      return true;
    }
    String style = element.attr("style");
    if (style.isEmpty()) {
      return false;
    }
    String plain =
        BLANKS
            .matcher(style.substring(0, Math.min(style.length(), MAX_STYLE)))
            .replaceAll("")
            .toLowerCase(Locale.ROOT);
    return STYLE.matcher(plain).find()
        || ((picture || plain.contains("overflow:hidden")) && NO_ROOM.matcher(plain).find());
  }

  private static boolean point(String size) {
    return POINT.matcher(size).matches();
  }
}
