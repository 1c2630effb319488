package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;

/**
 * Writes one HTML document on a page during a traversal: a rule for each {@link Construct}. Not
 * recursive, because an attacker can nest a tree deeply.
 */
final class Rendering implements NodeFilter {
  private final Page page;
  private final List<String> codes;

  /** For each open element that sets a size of letters: whether that is too small to see. */
  private final Deque<Boolean> tiny = new ArrayDeque<>();

  /**
   * For one document.
   *
   * @param codes pieces that stay as they are, by the number that their element carries
   */
  Rendering(Page page, List<String> codes) {
    this.page = page;
    this.codes = codes;
  }

  @Override
  public FilterResult head(Node node, int depth) {
    if (node instanceof TextNode text) {
      if (visible()) {
        page.write(text.getWholeText());
      }
    } else if (node instanceof Element element) {
      Construct construct = Construct.of(element.normalName());
      if (construct == Construct.DROPPED || Hidden.is(element)) {
        return FilterResult.SKIP_ENTIRELY;
      }
      Boolean size = Hidden.tiny(element);
      if (size != null) {
        tiny.push(size);
      }
      if (visible() || !construct.words()) {
        open(construct, element);
      }
    }
    return FilterResult.CONTINUE;
  }

  @Override
  public FilterResult tail(Node node, int depth) {
    if (node instanceof Element element) {
      Construct construct = Construct.of(element.normalName());
      if (visible() || !construct.words()) {
        close(construct, element);
      }
      if (Hidden.tiny(element) != null) {
        tiny.pop();
      }
    }
    return FilterResult.CONTINUE;
  }

  private void open(Construct construct, Element element) {
    edge(construct);
    switch (construct) {
      case LINE_BREAK -> page.lineBreak();
      case LIST -> openList(element);
      case ITEM -> page.openItem();
      case ROW -> page.openRow(element.childrenSize());
      case CELL -> page.openCell();
      case PREFORMATTED -> page.openPre();
      case CODE -> page.openCode();
      case HEADING -> page.openHeading(element.normalName().charAt(1) - '0');
      case QUOTE -> page.openQuote();
      case STRUCK_OUT -> page.openStrike();
      case SUPERSCRIPT -> page.openScript('^', words(element));
      case SUBSCRIPT -> page.openScript('_', words(element));
      case LINK -> page.openLink(element.hasAttr("href"));
      case IMAGE -> page.raw(Image.of(element));
      case INPUT -> checkbox(element);
      case WRITTEN_CODE -> page.raw(code(element));
      case DROPPED, PARAGRAPH, BLOCK, TEXT -> {}
    }
  }

  private void close(Construct construct, Element element) {
    switch (construct) {
      case LIST -> page.closeList();
      case ITEM -> page.closeItem();
      case ROW -> page.closeRow();
      case PREFORMATTED -> page.closePre();
      case CODE -> page.closeCode();
      case HEADING -> page.closeHeading();
      case QUOTE -> page.closeQuote();
      case STRUCK_OUT -> page.closeStrike();
      case SUPERSCRIPT -> page.closeScript('^', words(element));
      case SUBSCRIPT -> page.closeScript('_', words(element));
      case LINK -> page.closeLink(Address.of(element));
      case DROPPED, PARAGRAPH, BLOCK, LINE_BREAK, CELL, IMAGE, INPUT, WRITTEN_CODE, TEXT -> {}
    }
    edge(construct);
  }

  /** The text of an element that has nothing else; empty for any other. */
  private static String words(Element element) {
    return element.childNodeSize() == 1 && element.childNode(0) instanceof TextNode text
        ? text.getWholeText().strip()
        : "";
  }

  private boolean visible() {
    return tiny.isEmpty() || !tiny.peek();
  }

  private void edge(Construct construct) {
    if (construct.edge > 0) {
      page.edge(construct.edge);
    }
  }

  private void openList(Element element) {
    if (element.normalName().equals("ol")) {
      page.openNumberedList(number(element.attr("start"), 1));
    } else {
      page.openList();
    }
  }

  private void checkbox(Element element) {
    if (element.attr("type").equalsIgnoreCase("checkbox")) {
      page.raw(element.hasAttr("checked") ? "[x] " : "[ ] ");
    }
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
