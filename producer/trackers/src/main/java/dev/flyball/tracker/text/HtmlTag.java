package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.Set;

/**
 * One tag in a text that is mostly something else.
 *
 * @param name lower case
 * @param closing whether it is an end tag
 * @param attributes whether it has any
 * @param end index after its {@code >}
 */
record HtmlTag(String name, boolean closing, boolean attributes, int end) {
  /** Attributes without a value; any other bare word in a tag makes it plain text. */
  private static final Set<String> ALONE =
      Set.of("hidden", "open", "checked", "disabled", "reversed", "inert", "nowrap", "noshade");

  private static final HtmlTag NONE = new HtmlTag("", false, false, 0);

  /**
   * Reads the tag at {@code <}. Its name is empty if there is none: no letter after the sign, no
   * end, or something between that is neither attribute nor value, as in {@code a <b and c> d}.
   */
  static HtmlTag at(String text, int start) {
    boolean closing = text.startsWith("</", start);
    int from = start + (closing ? 2 : 1);
    int to = from;
    while (to < text.length() && nameCharacter(text.charAt(to), to == from)) {
      to++;
    }
    if (to == from) {
      return NONE;
    }
    String name = text.substring(from, to).toLowerCase(Locale.ROOT);
    boolean equals = false;
    int at = to;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '>') {
        String rest = text.substring(to, at).replace('/', ' ').strip();
        boolean attributes = equals || ALONE.contains(rest.toLowerCase(Locale.ROOT));
        return attributes || rest.isEmpty() ? new HtmlTag(name, closing, attributes, at + 1) : NONE;
      }
      if (c == '<' || (at == to && c != '/' && !Character.isWhitespace(c))) {
        return NONE;
      }
      equals |= c == '=';
      boolean quoted = (c == '"' || c == '\'') && text.charAt(lastVisible(text, at)) == '=';
      int next = quoted ? text.indexOf(c, at + 1) : at;
      if (next < 0) {
        return NONE;
      }
      at = next + 1;
    }
    return NONE;
  }

  /** Whether a tag's name continues at this index. */
  static boolean goesOn(String text, int at) {
    return at < text.length() && nameCharacter(text.charAt(at), false);
  }

  private static int lastVisible(String text, int before) {
    int at = before - 1;
    while (Character.isWhitespace(text.charAt(at))) {
      at--;
    }
    return at;
  }

  private static boolean nameCharacter(char c, boolean first) {
    boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (!first && ((c >= '0' && c <= '9') || c == '-' || c == ':'));
  }
}
