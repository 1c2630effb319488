package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;

/**
 * Elements that a reader of the tracker's page does not see: tracking pixels, remains of mail
 * programs, hidden instructions to an agent.
 */
final class Hidden {
  private static final String ZERO = "(?:0+(?:\\.0*)?|\\.0+)";
  private static final String END = "(?:!important)?(?:;|$)";

  /** So far from its place that it leaves the page. */
  private static final String AWAY =
      "-(?:[0-9]{4}|[5-9][0-9]{2}(?:\\.[0-9]+)?p|[1-9][0-9]{2}(?:\\.[0-9]+)?v"
          + "|[5-9][0-9](?:\\.[0-9]+)?r?em)";

  /** Styles that hide an element by themselves, written without blanks. */
  private static final Pattern STYLE =
      Pattern.compile(
          "display:none|visibility:(?:hidden|collapse)|mso-hide:all"
              + ("|(?:^|;)opacity:" + ZERO + "(?:px|pt|em|rem|%)?" + END)
              + ("|filter:opacity\\(" + ZERO + "%?\\)")
              + ("|(?:^|;)(?:(?:margin-)?(?:left|top|right)|text-indent):" + AWAY)
              + ("|transform:translate[xy3d]*\\((?:[^,)]*,)?" + AWAY)
              + ("|transform:scale[xy3d]*\\(" + ZERO + "[,)]")
              + "|clip:rect\\(0|clip:rect\\(1px,1px,1px,1px"
              + "|clip-path:inset\\((?:100|[5-9][0-9])%|clip-path:circle\\(0"
              + "|(?:^|;)(?:color|-webkit-text-fill-color):(?:transparent|#[0-9a-f]{3}0"
              + "|#[0-9a-f]{6}00|(?:rgb|hsl)a?\\((?:(?:[^,;()]*,){3}|[^,;()/]*/)"
              + (ZERO + "%?\\))" + END)
              + "|(?:^|;)font:[a-z]*0(?:px|pt|em)?[/a-z\"']");

  /** A box without size, which hides its content only if that cannot overflow. */
  private static final Pattern NO_ROOM =
      Pattern.compile("(?:^|;)(?:max-)?(?:width|height):[01](?:px|pt)?(?:!important)?(?:;|$)");

  private static final Pattern SIZE = Pattern.compile("(?:^|;)font-size:([^;!]*)");
  private static final Pattern TINY =
      Pattern.compile("0(?:\\.[0-9]+)?(?:px|pt)|0(?:\\.0+)?[a-z%]*|1p[xt]");
  private static final Pattern RELATIVE =
      Pattern.compile(".*(?:[0-9]em|%|ex|ch)|inherit|smaller|larger");

  private static final Pattern PRESERVED =
      Pattern.compile("(?:^|;)white-space:(?:pre|pre-wrap|break-spaces)" + END);

  private static final Pattern BLANKS = Pattern.compile("\\s+");
  private static final Pattern POINT = Pattern.compile("\\s*[01](?:px)?\\s*");
  private static final int MAX_STYLE = 4096;

  private Hidden() {}

  static boolean is(Element element) {
    if (element.hasAttr("hidden") || element.attr("aria-hidden").equalsIgnoreCase("true")) {
      return true;
    }
    boolean picture = element.normalName().equals("img");
    if (picture
        && (POINT.matcher(element.attr("width")).matches()
            || POINT.matcher(element.attr("height")).matches())) {
      return true;
    }
    String style = style(element);
    return !style.isEmpty()
        && (STYLE.matcher(style).find()
            || ((picture || style.contains("overflow:hidden")) && NO_ROOM.matcher(style).find()));
  }

  /**
   * Whether the element's letters are too small to see. Mail programs write letters of size 0
   * around blocks that set another size.
   */
  static boolean tiny(Element element, boolean outside) {
    Matcher size = SIZE.matcher(style(element));
    if (!size.find()) {
      return outside;
    }
    boolean tiny = TINY.matcher(size.group(1)).matches();
    return tiny || (outside && RELATIVE.matcher(size.group(1)).matches());
  }

  /** Whether a page keeps the element's white space, as of code that an editor copied. */
  static boolean preserves(Element element) {
    return PRESERVED.matcher(style(element)).find();
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
}
