package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jspecify.annotations.Nullable;

/**
 * Elements that a reader of the tracker's page does not see: tracking pixels, remains of mail
 * programs, hidden instructions to an agent.
 */
final class Hidden {
  /** Styles that hide an element by themselves, written without blanks. */
  private static final Pattern STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|mso-hide:all"
              + "|(?:^|;)opacity:0(?:\\.0+)?(?:px|pt|em|rem|%)?(?:!important)?(?:;|$)"
              + "|(?:^|;)(?:left|top|right|text-indent):-[0-9]{4}"
              + "|clip:rect\\(0|clip:rect\\(1px,1px,1px,1px|clip-path:inset\\(50%|transform:scale\\(0\\)");

  /** A box without size, which hides its content only if that cannot overflow. */
  private static final Pattern NO_ROOM =
      Pattern.compile("(?:^|;)(?:max-)?(?:width|height):[01](?:px|pt)?(?:!important)?(?:;|$)");

  private static final Pattern SIZE = Pattern.compile("(?:^|;)font-size:([^;!]*)");
  private static final Pattern TINY =
      Pattern.compile("0(?:\\.[0-9]+)?(?:px|pt)|0(?:\\.0+)?[a-z%]*|1p[xt]");
  private static final Pattern RELATIVE =
      Pattern.compile(".*(?:[0-9]em|%|ex|ch)|inherit|smaller|larger");

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
    String style = style(element);
    return !style.isEmpty()
        && (STYLE.matcher(style).find()
            || ((picture || style.contains("overflow:hidden")) && NO_ROOM.matcher(style).find()));
  }

  /**
   * Whether the element's letters are too small to see; null if it sets no size. Mail programs
   * write letters of size 0 around blocks that set another size.
   */
  static @Nullable Boolean tiny(Element element) {
    String style = style(element);
    Matcher size = SIZE.matcher(style);
    if (style.isEmpty() || !size.find()) {
      return null;
    }
    if (TINY.matcher(size.group(1)).matches()) {
      return true;
    }
    return RELATIVE.matcher(size.group(1)).matches() ? null : Boolean.FALSE;
  }

  /** The element's style in lower case and without blanks. */
  private static String style(Element element) {
    String style = element.attr("style");
    return style.isEmpty()
        ? ""
        : BLANKS
            .matcher(style.substring(0, Math.min(style.length(), MAX_STYLE)))
            .replaceAll("")
            .toLowerCase(Locale.ROOT);
  }

  private static boolean point(String size) {
    return POINT.matcher(size).matches();
  }
}
