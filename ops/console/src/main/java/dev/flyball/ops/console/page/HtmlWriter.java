package dev.flyball.ops.console.page;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Writes HTML. Every text is escaped when it is added: titles and reasons come from untrusted
 * users.
 */
final class HtmlWriter {
  private final StringBuilder out = new StringBuilder();

  /** Adds markup of our own. */
  HtmlWriter markup(String markup) {
    out.append(markup);
    return this;
  }

  /** Adds a text, escaped. */
  HtmlWriter text(Object text) {
    out.append(escape(String.valueOf(text)));
    return this;
  }

  /** Adds a table row of these texts. */
  HtmlWriter row(Object... cells) {
    markup("<tr>");
    for (Object cell : cells) {
      markup("<td>").text(cell).markup("</td>");
    }
    return markup("</tr>\n");
  }

  /** Adds a table's head. */
  HtmlWriter head(String... titles) {
    markup("<table>\n<tr>");
    for (String title : titles) {
      markup("<th scope=\"col\">").text(title).markup("</th>");
    }
    return markup("</tr>\n");
  }

  /** Adds a cell that links to an item's page. */
  HtmlWriter itemCell(String key) {
    return markup(
            "<td><a href=\"/item?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8) + "\">")
        .text(key)
        .markup("</a></td>");
  }

  /** Adds a cell. */
  HtmlWriter cell(Object text) {
    return markup("<td>").text(text).markup("</td>");
  }

  static String escape(String text) {
    var escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '&' -> escaped.append("&amp;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c < ' ' && c != '\n' && c != '\t' ? '?' : c);
      }
    }
    return escaped.toString();
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
