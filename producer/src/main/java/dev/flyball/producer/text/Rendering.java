package dev.flyball.producer.text;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;

/**
 * Writes one document as text while a traversal walks it. White space is held back until something
 * visible follows, so that blocks next to each other make one break. Not recursive: trees are deep
 * when somebody wants them to be.
 */
final class Rendering implements NodeFilter {
  private static final Set<String> DROPPED =
      Set.of(
          "script",
          "style",
          "noscript",
          "template",
          "head",
          "title",
          "meta",
          "link",
          "iframe",
          "object",
          "embed",
          "svg",
          "canvas",
          "audio",
          "video",
          "source",
          "track",
          "map",
          "noframes");
  private static final Set<String> PARAGRAPHS =
      Set.of(
          "p",
          "h1",
          "h2",
          "h3",
          "h4",
          "h5",
          "h6",
          "blockquote",
          "table",
          "pre",
          "hr",
          "figure",
          "section",
          "article");
  private static final Set<String> BLOCKS =
      Set.of(
          "div",
          "li",
          "ul",
          "ol",
          "dl",
          "dt",
          "dd",
          "tr",
          "caption",
          "address",
          "aside",
          "body",
          "center",
          "fieldset",
          "figcaption",
          "footer",
          "form",
          "header",
          "legend",
          "main",
          "nav",
          "details",
          "summary",
          "option",
          "thead",
          "tbody",
          "tfoot");
  private static final Set<String> CODE = Set.of("code", "kbd", "samp", "tt");
  private static final int MAX_ADDRESS = 500;
  private static final int MAX_INDENT = 8;

  private final boolean keepLines;
  private final StringBuilder out = new StringBuilder();
  private final Deque<ListLevel> lists = new ArrayDeque<>();
  private final Deque<Integer> links = new ArrayDeque<>();
  private final Deque<Row> rows = new ArrayDeque<>();
  private int newlines;
  private boolean space;
  private int pre;
  private String bullet = "";

  /**
   * For one document.
   *
   * @param keepLines whether line breaks of the text itself count, because no markup gives any
   */
  Rendering(boolean keepLines) {
    this.keepLines = keepLines;
  }

  String text() {
    return out.toString();
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode text) {
      write(text.getWholeText());
    } else if (node instanceof Element element) {
      if (DROPPED.contains(element.normalName()) || Hidden.is(element)) {
        return FilterResult.SKIP_ENTIRELY;
      }
      open(element);
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      close(element);
    }
    return FilterResult.CONTINUE;
  }

  private void open(Element element) {
    String name = element.normalName();
    breakBefore(name);
    switch (name) {
      case "br" -> lineBreak();
      case "ul", "ol", "menu" -> lists.push(new ListLevel(name.equals("ol")));
      case "li" -> bullet = lists.isEmpty() ? "- " : lists.peek().next();
      case "tr" -> rows.push(new Row(element.childrenSize() < 2));
      case "td", "th" -> {
        if (!rows.isEmpty() && rows.peek().second()) {
          verbatim(" | ");
        }
      }
      case "a" -> {
        if (element.hasAttr("href")) {
          flush();
        }
        links.push(out.length());
      }
      case "img" -> image(element);
      case "input" -> checkbox(element);
      case "pre" -> {
        verbatim("```");
        newlines = 1;
        pre++;
      }
      default -> {
        if (CODE.contains(name) && pre == 0) {
          mark();
        }
      }
    }
  }

  private void close(Element element) {
    String name = element.normalName();
    switch (name) {
      case "ul", "ol", "menu" -> lists.poll();
      case "li" -> bullet = "";
      case "tr" -> rows.poll();
      case "a" -> address(element, links.isEmpty() ? 0 : links.pop());
      case "pre" -> {
        pre--;
        newlines = !out.isEmpty() && out.charAt(out.length() - 1) == '\n' ? 0 : 1;
        verbatim("```");
      }
      default -> {
        if (CODE.contains(name) && pre == 0) {
          out.append('`');
        }
      }
    }
    breakBefore(name);
  }

  /**
   * Asks for the line break that an element's edge makes; within a row of several cells a space
   * must do.
   */
  private void breakBefore(String name) {
    int wanted = PARAGRAPHS.contains(name) ? 2 : BLOCKS.contains(name) ? 1 : 0;
    if (wanted == 0) {
      return;
    }
    if (inCell() && !name.equals("tr")) {
      space = true;
    } else {
      newlines =
          Math.max(newlines, lists.size() > 1 || name.equals("li") ? Math.min(wanted, 1) : wanted);
    }
  }

  private void lineBreak() {
    if (inCell()) {
      space = true;
    } else {
      newlines = Math.min(2, newlines + 1);
    }
  }

  private boolean inCell() {
    return !rows.isEmpty() && !rows.peek().single;
  }

  private void write(String text) {
    if (pre > 0) {
      if (!text.isEmpty()) {
        flush();
        out.append(text);
      }
      return;
    }
    int start = 0;
    while (start < text.length()) {
      char c = text.charAt(start);
      if (keepLines && c == '\n') {
        newlines = Math.min(2, newlines + 1);
        start++;
      } else if (blank(c)) {
        space = true;
        start++;
      } else {
        int end = start + 1;
        while (end < text.length() && !blank(text.charAt(end))) {
          end++;
        }
        flush();
        out.append(text, start, end);
        start = end;
      }
    }
  }

  private void verbatim(String text) {
    space = false;
    flush();
    out.append(text);
  }

  /** Opens inline code; what is held back belongs before the mark. */
  private void mark() {
    flush();
    out.append('`');
  }

  private void flush() {
    if (newlines > 0 && !out.isEmpty()) {
      out.repeat('\n', newlines);
    } else if (space && !out.isEmpty() && !blank(out.charAt(out.length() - 1))) {
      out.append(' ');
    }
    if (!bullet.isEmpty()) {
      out.repeat(' ', 2 * Math.min(MAX_INDENT, Math.max(0, lists.size() - 1))).append(bullet);
      bullet = "";
    }
    newlines = 0;
    space = false;
  }

  private void address(Element element, int start) {
    String href = element.attr("href").strip();
    if (href.isEmpty() || href.startsWith("#") || !readable(href)) {
      return;
    }
    String address = href.length() > MAX_ADDRESS ? href.substring(0, MAX_ADDRESS) + "..." : href;
    int from = start;
    while (from < out.length() && blank(out.charAt(from))) {
      from++;
    }
    int length = out.length() - from;
    if (length == 0) {
      flush();
      out.append(address);
    } else if (length != address.length() || out.indexOf(address, from) != from) {
      out.append(" (").append(address).append(')');
    }
  }

  private static boolean readable(String href) {
    int colon = href.indexOf(':');
    String scheme =
        colon < 0 ? "" : href.substring(0, Math.min(colon, 16)).toLowerCase(java.util.Locale.ROOT);
    return !scheme.equals("javascript") && !scheme.equals("data") && !scheme.equals("vbscript");
  }

  private void image(Element element) {
    String alt = element.attr("alt").strip();
    if (!alt.isEmpty()) {
      flush();
      out.append("[image: ").append(alt).append(']');
    }
  }

  private void checkbox(Element element) {
    if (element.attr("type").equalsIgnoreCase("checkbox")) {
      flush();
      out.append(element.hasAttr("checked") ? "[x] " : "[ ] ");
    }
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\u00a0';
  }

  /** One list that is open. */
  private static final class ListLevel {
    private final boolean ordered;
    private int count;

    ListLevel(boolean ordered) {
      this.ordered = ordered;
    }

    String next() {
      count++;
      return ordered ? count + ". " : "- ";
    }
  }

  /** One table row that is open. */
  private static final class Row {
    private final boolean single;
    private boolean begun;

    Row(boolean single) {
      this.single = single;
    }

    boolean second() {
      boolean second = begun;
      begun = true;
      return second;
    }
  }
}
