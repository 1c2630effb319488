package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;
import org.jsoup.select.NodeTraversor;

/**
 * Writes one tree of elements as text that still needs {@link Tidy}: a rule for each {@link
 * HtmlElementKind}. Not recursive, because an attacker can nest a tree deeply.
 */
final class HtmlRenderer implements NodeFilter {
  /**
   * Longest markup that is parsed, in characters: a parsed tree takes some hundred bytes for each
   * tag, so that this is about 100 MB at worst. Markup after it is marked as left out.
   */
  static final int MAX_MARKUP = 1024 * 1024;

  private static final Pattern INLINE_DATA =
      Pattern.compile("data:[a-zA-Z0-9/+.;=-]{0,100}base64,[A-Za-z0-9+/=\\s]*+");

  /** What follows the sign of a superscript without brackets. */
  private static final Pattern SIMPLE = Pattern.compile("[-+]?[\\p{L}\\p{N}]+");

  private final TextWriter writer;
  private final List<String> codes;

  /** For each open element that sets a size of letters: whether that is too small to see. */
  private final Deque<Boolean> tiny = new ArrayDeque<>();

  private HtmlRenderer(TextWriter writer, List<String> codes) {
    this.writer = writer;
    this.codes = codes;
  }

  /**
   * What a reader of the page sees.
   *
   * @param codes pieces that stay as they are, by the number that their element carries
   * @param otherwise the item's text as it was written, used if the parser fails
   */
  static String text(
      String html, TextWriter.Spacing spacing, List<String> codes, String otherwise) {
    String shorter = html.length() > MAX_MARKUP ? INLINE_DATA.matcher(html).replaceAll("") : html;
    int end = Math.min(shorter.length(), MAX_MARKUP);
    int rest = shorter.length() - end;
    try {
      String text = text(Jsoup.parse(shorter.substring(0, end)).body(), spacing, codes);
      return rest == 0 ? text : text + "\n[cut: " + rest + " characters of markup left out]";
    } catch (RuntimeException e) {
      // A fault of the parser must not stop a poll; the original text is hard to read but complete.
      return otherwise;
    }
  }

  /** The same for a tree. */
  static String text(Element root, TextWriter.Spacing spacing, List<String> codes) {
    var writer = new TextWriter(spacing);
    NodeTraversor.filter(new HtmlRenderer(writer, codes), root);
    return writer.text();
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode text) {
      if (visible()) {
        writer.write(text.getWholeText());
      }
    } else if (node instanceof Element element) {
      HtmlElementKind kind = HtmlElementKind.of(element.normalName());
      if (kind == HtmlElementKind.DROPPED || Hidden.is(element)) {
        return FilterResult.SKIP_ENTIRELY;
      }
      Boolean size = Hidden.tiny(element);
      if (size != null) {
        tiny.push(size);
      }
      if (visible() || !kind.shows()) {
        edge(kind);
        open(kind, element);
      }
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      HtmlElementKind kind = HtmlElementKind.of(element.normalName());
      if (visible() || !kind.shows()) {
        close(kind, element);
        edge(kind);
      }
      if (Hidden.tiny(element) != null) {
        tiny.pop();
      }
    }
    return FilterResult.CONTINUE;
  }

  private void open(HtmlElementKind kind, Element element) {
    switch (kind) {
      case HEADING -> writer.openHeading(element.normalName().charAt(1) - '0');
      case QUOTE -> writer.openQuote();
      case LINE_BREAK -> writer.lineBreak();
      case LIST -> openList(element);
      case ITEM -> writer.openItem();
      case ROW -> writer.openRow(element.childrenSize());
      case CELL -> writer.openCell();
      case PREFORMATTED -> writer.openPre();
      case CODE -> writer.open("`");
      case STRUCK_OUT -> writer.openStrike();
      case SUPERSCRIPT -> writer.open(simple(element) ? "^" : "^(");
      case SUBSCRIPT -> writer.open(simple(element) ? "_" : "_(");
      case LINK -> writer.openLink(element.hasAttr("href"));
      case IMAGE -> writer.raw(image(element));
      case INPUT -> checkbox(element);
      case WRITTEN_CODE -> writer.raw(code(element));
      case DROPPED, PARAGRAPH, BLOCK, TEXT -> {}
    }
  }

  private void close(HtmlElementKind kind, Element element) {
    switch (kind) {
      case HEADING -> writer.closeHeading();
      case QUOTE -> writer.closeQuote();
      case LIST -> writer.closeList();
      case ITEM -> writer.closeItem();
      case ROW -> writer.closeRow();
      case PREFORMATTED -> writer.closePre();
      case CODE -> writer.close("`", "`");
      case STRUCK_OUT -> writer.closeStrike();
      case SUPERSCRIPT, SUBSCRIPT ->
          writer.close(simple(element) ? "^" : "^(", simple(element) ? "" : ")");
      case LINK -> writer.closeLink(Address.of(element));
      case DROPPED, PARAGRAPH, BLOCK, LINE_BREAK, CELL, IMAGE, INPUT, WRITTEN_CODE, TEXT -> {}
    }
  }

  private boolean visible() {
    return tiny.isEmpty() || !tiny.peek();
  }

  private void edge(HtmlElementKind kind) {
    if (kind.edge > 0) {
      writer.edge(kind.edge);
    }
  }

  /** Whether an element is one word or number and nothing else. */
  private static boolean simple(Element element) {
    return element.childNodeSize() == 1
        && element.childNode(0) instanceof TextNode text
        && SIMPLE.matcher(text.getWholeText().strip()).matches();
  }

  private void openList(Element element) {
    if (element.normalName().equals("ol")) {
      writer.openNumberedList(number(element.attr("start"), 1));
    } else {
      writer.openList();
    }
  }

  private void checkbox(Element element) {
    if (element.attr("type").equalsIgnoreCase("checkbox")) {
      writer.itemMark(element.hasAttr("checked") ? "[x] " : "[ ] ");
    }
  }

  /**
   * The picture's alternative text with our mark; an emoji's alone, because it replaces a
   * character.
   */
  private static String image(Element image) {
    String alt = image.attr("alt").strip();
    boolean emoji =
        image.hasClass("emoji") || image.hasClass("emoticon") || image.hasClass("emojione");
    return emoji || alt.isEmpty() ? alt : "[image: " + alt + "]";
  }

  private String code(Element element) {
    long number = number(element.attr("n"), codes.size());
    return number < codes.size() ? codes.get((int) number) : "";
  }

  /** A small number in an attribute; {@code otherwise} if it is not one. */
  private static long number(String text, long otherwise) {
    return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : otherwise;
  }
}
