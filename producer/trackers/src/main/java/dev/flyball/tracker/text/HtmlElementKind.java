package dev.flyball.tracker.text;

import java.util.HashMap;
import java.util.Map;

/**
 * The meaning of an HTML element for a reader; {@link HtmlRenderer} has the rule of each. Elements
 * that are not named are running text.
 */
enum HtmlElementKind {
  /** Removed with its content. */
  DROPPED(
      0,
      "script style noscript template head title meta link iframe object embed svg canvas audio"
          + " video source track map noframes"),
  PARAGRAPH(2, "p table hr figure section article"),
  HEADING(2, "h1 h2 h3 h4 h5 h6"),
  QUOTE(2, "blockquote"),
  BLOCK(
      1,
      "div dl dt dd caption address aside body center fieldset figcaption footer form header"
          + " legend main nav details summary option thead tbody tfoot"),
  LINE_BREAK(0, "br"),
  LIST(1, "ul ol menu"),
  ITEM(0, "li"),
  ROW(0, "tr"),
  CELL(0, "td th"),
  PREFORMATTED(2, "pre"),
  CODE(0, "code kbd samp tt"),
  STRUCK_OUT(0, "del s strike"),
  SUPERSCRIPT(0, "sup"),
  SUBSCRIPT(0, "sub"),
  LINK(0, "a"),
  IMAGE(0, "img"),
  INPUT(0, "input"),
  /**
   * A piece of Markdown's code that must stay as it is; no real document can contain this element.
   */
  WRITTEN_CODE(0, MarkdownText.CODE),
  TEXT(0, "");

  private static final Map<String, HtmlElementKind> BY_NAME = byName();

  /** Line breaks before and after it; rows and items have rules for their own. */
  final int edge;

  private final String names;

  HtmlElementKind(int edge, String names) {
    this.edge = edge;
    this.names = names;
  }

  static HtmlElementKind of(String name) {
    return BY_NAME.getOrDefault(name, TEXT);
  }

  /** Whether it shows something itself, besides giving its content a place or a mark. */
  boolean shows() {
    return switch (this) {
      case CODE, LINK, IMAGE, INPUT, WRITTEN_CODE -> true;
      default -> false;
    };
  }

  private static Map<String, HtmlElementKind> byName() {
    var all = new HashMap<String, HtmlElementKind>();
    for (HtmlElementKind kind : values()) {
      for (String name : kind.names.split(" ")) {
        all.put(name, kind);
      }
    }
    return Map.copyOf(all);
  }
}
