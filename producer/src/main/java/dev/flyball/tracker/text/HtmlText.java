package dev.flyball.tracker.text;

import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;

/**
 * What a reader of a page sees of a tree of elements, as text that still needs {@link Tidy}. It
 * recurses, because jsoup and our JSON parser bound a tree's depth.
 */
final class HtmlText {
  /** The meaning of white space in the text itself. */
  enum Spacing {
    /** Any run is one space: the markup gives the lines. */
    MARKUP,
    /** Line breaks are kept, because no markup gives any. */
    LINES,
    /** All of it is kept: Markdown, where lines and indentation have a meaning. */
    WRITTEN,
    /** A run of line breaks is one: lists and tables of HTML within Markdown. */
    ITEMS
  }

  /** The element of Markdown's code, which stays as it is written. */
  static final String CODE = "flyball-code";

  /** Removed with their content. */
  static final Set<String> DROPPED =
      words(
          "script style noscript template head title meta link iframe object embed svg canvas audio"
              + " video source track map noframes");

  private static final Set<String> PARAGRAPHS =
      words("p table hr figure section article h1 h2 h3 h4 h5 h6 blockquote pre");
  private static final Set<String> BLOCKS =
      words(
          "div dl dt dd caption address aside body center fieldset figcaption footer form header"
              + " legend main nav details summary option thead tbody tfoot ul ol menu li");

  private static final String BLANKS = "([ \\t\\r\\f\\u00a0]++)";
  private static final Pattern PIECES =
      Pattern.compile(BLANKS + "|(\\n)|[^ \\n\\t\\r\\f\\u00a0]++");

  /** White space of any kind, or the words of a line. */
  private static final Pattern WRITTEN_PIECES =
      Pattern.compile("([ \\n\\t\\r\\f\\u00a0]++)|[^\\n]*[^ \\n\\t\\r\\f\\u00a0]");

  /** What follows the sign of a superscript without brackets. */
  private static final Pattern SIMPLE = Pattern.compile("[-+]?[\\p{L}\\p{N}]+");

  private static final int MAX_INDENT = 8;
  private static final int MAX_QUOTES = 4;

  /** Instead of a number: the items of the list have none. */
  private static final long BULLETS = -1;

  /** Instead of a number of cells: no row is open, or its only cell is layout. */
  private static final int NO_CELLS = -1;

  private final boolean markdown;
  private Spacing spacing;
  private boolean tiny;
  private boolean preformatted;
  private boolean struckOut;
  private int quotes;
  private int lists;

  /** The number of the next item. */
  private long number = BULLETS;

  /** How many cells of the row are open or closed. */
  private int cells = NO_CELLS;

  private HtmlText(Spacing spacing) {
    this.spacing = spacing;
    this.markdown = spacing == Spacing.WRITTEN;
  }

  /** The words of a list. */
  static Set<String> words(String words) {
    return Set.of(words.split(" "));
  }

  /**
   * Reads HTML.
   *
   * @param otherwise the item's text as it was written, used if the parser fails
   */
  static String of(String html, Spacing spacing, String otherwise) {
    try {
      return of(Jsoup.parse(html).body(), spacing);
    } catch (RuntimeException e) {
      // A fault of the parser must not stop a poll; the original text is hard to read but complete.
      return otherwise;
    }
  }

  /** Reads a tree. */
  static String of(Element root, Spacing spacing) {
    var lines = new Lines();
    new HtmlText(spacing).element(root, lines);
    return lines.toString();
  }

  private void children(Element element, Lines to) {
    for (Node node : element.childNodes()) {
      if (node instanceof Element child) {
        element(child, to);
      } else if (node instanceof TextNode text && !tiny) {
        write(text.getWholeText(), to);
      }
    }
  }

  private void element(Element element, Lines to) {
    String name = element.normalName();
    if (DROPPED.contains(name) || Hidden.is(element)) {
      return;
    }
    boolean tinyOutside = tiny;
    Spacing outside = spacing;
    tiny = Hidden.tiny(element, tiny);
    if (Hidden.preserves(element)) {
      spacing = Spacing.WRITTEN;
    }
    edge(name, to);
    switch (name) {
      case "h1", "h2", "h3", "h4", "h5", "h6" -> heading(element, to);
      case "blockquote" -> quotation(element, to);
      case "br" -> lineBreak(to);
      case "ul", "ol", "menu" -> list(element, to);
      case "li" -> item(element, to);
      case "tr" -> row(element, to);
      case "td", "th" -> cell(element, to);
      case "pre" -> block(element, to);
      case "code", "kbd", "samp", "tt" -> marked(element, to, words -> "`" + words + "`");
      case "sup" -> marked(element, to, words -> "^" + script(element, words));
      case "sub" -> marked(element, to, words -> "_" + script(element, words));
      case "del", "s", "strike" -> strikeOut(element, to);
      case "a" -> link(element, to);
      case "img" -> to.append(tiny ? "" : image(element));
      case "input" -> {
        to.append(tiny ? "" : checkbox(element));
        to.space();
      }
      case CODE -> code(element, to);
      default -> children(element, to);
    }
    edge(name, to);
    spacing = outside;
    tiny = tinyOutside;
  }

  /** The edge of a block; in a list one line break, in a row of several cells a space. */
  private void edge(String name, Lines to) {
    boolean paragraph = PARAGRAPHS.contains(name);
    if (paragraph || BLOCKS.contains(name)) {
      breakLines(paragraph && lists == 0 ? 2 : 1, to);
    }
  }

  private void breakLines(int wanted, Lines to) {
    if (cells == NO_CELLS) {
      to.breakLines(wanted);
    } else {
      to.space();
    }
  }

  private void lineBreak(Lines to) {
    if (cells == NO_CELLS) {
      to.breakLine();
    } else {
      to.space();
    }
  }

  /**
   * What an element shows, with marks, which code and an element that shows nothing do not have.
   */
  private void marked(Element element, Lines to, UnaryOperator<String> marks) {
    if (preformatted) {
      children(element, to);
    } else {
      Lines inner = to.inner();
      children(element, inner);
      to.append(inner, marks);
    }
  }

  /** A number or one word needs no brackets. */
  private static String script(Element element, String words) {
    boolean simple = element.childrenSize() == 0 && SIMPLE.matcher(words).matches();
    return simple ? words : "(" + words + ")";
  }

  private void heading(Element heading, Lines to) {
    String mark = "#".repeat(heading.normalName().charAt(1) - '0') + " ";
    marked(heading, to, words -> cells == NO_CELLS ? mark + words : words);
  }

  private void quotation(Element quotation, Lines to) {
    boolean marks = cells == NO_CELLS && quotes < MAX_QUOTES;
    quotes++;
    marked(quotation, to, words -> marks ? "> " + words.replace("\n", "\n> ") : words);
    quotes--;
  }

  private void strikeOut(Element element, Lines to) {
    if (struckOut || preformatted) {
      children(element, to);
    } else {
      struckOut = true;
      Lines inner = to.inner();
      children(element, inner);
      to.appendStruckOut(inner);
      struckOut = false;
    }
  }

  private void list(Element list, Lines to) {
    long outside = number;
    number = list.normalName().equals("ol") ? number(list.attr("start"), 1) : BULLETS;
    spacing = spacing == Spacing.WRITTEN ? Spacing.ITEMS : spacing;
    lists++;
    children(list, to);
    lists--;
    number = outside;
  }

  private void item(Element item, Lines to) {
    String mark = "- ";
    if (number != BULLETS) {
      long own = number(item.attr("value"), number);
      mark = own + ". ";
      number = own + 1;
    }
    Element first = item.firstElementChild();
    if (first != null && first.siblingIndex() == 0 && !checkbox(first).isEmpty()) {
      mark += checkbox(first) + " ";
      first.remove();
    }
    String indented = "  ".repeat(Math.clamp(lists - 1, 0, MAX_INDENT)) + mark;
    marked(item, to, words -> indented + words.stripLeading());
  }

  private static String checkbox(Element input) {
    boolean checkbox = input.attr("type").equalsIgnoreCase("checkbox");
    return !checkbox ? "" : input.hasAttr("checked") ? "[x]" : "[ ]";
  }

  private void row(Element row, Lines to) {
    int outside = cells;
    cells = row.childrenSize() < 2 ? NO_CELLS : 0;
    spacing = spacing == Spacing.WRITTEN ? Spacing.ITEMS : spacing;
    to.breakLines(1);
    children(row, to);
    to.breakLines(1);
    cells = outside;
  }

  private void cell(Element cell, Lines to) {
    if (cells > 0) {
      to.space();
      to.append("|");
      to.space();
    }
    cells += cells == NO_CELLS ? 0 : 1;
    children(cell, to);
  }

  /** Code of Markdown; in a page the element has no meaning. */
  private void code(Element code, Lines to) {
    if (markdown) {
      to.append(tiny ? "" : code.wholeText());
    } else {
      children(code, to);
    }
  }

  /** A block of code, on lines by itself in a row of a table too. */
  private void block(Element pre, Lines to) {
    if (preformatted) {
      children(pre, to);
      return;
    }
    preformatted = true;
    var inner = new Lines();
    children(pre, inner);
    preformatted = false;
    String code = inner.toString();
    to.breakLines(1);
    if (!code.isBlank()) {
      to.append(
          "```\n" + (code.startsWith("\n") ? code.substring(1) : code).stripTrailing() + "\n```");
    }
    to.breakLines(1);
  }

  /** A link's text and address, which is left out where the text says it. */
  private void link(Element link, Lines to) {
    String address = tiny ? "" : Address.of(link);
    Lines inner = to.inner();
    children(link, inner);
    if (inner.isEmpty()) {
      to.append(address);
    } else {
      to.append(
          inner, words -> Address.isSaidBy(words, address) ? words : words + " (" + address + ")");
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

  /** A small number in an attribute; {@code otherwise} if it is not one. */
  private static long number(String text, long otherwise) {
    return text.matches("[0-9]{1,9}") ? Long.parseLong(text) : otherwise;
  }

  private void write(String text, Lines to) {
    if (preformatted) {
      to.append(text);
    } else if (spacing == Spacing.WRITTEN && cells == NO_CELLS) {
      writeAsWritten(text, to);
    } else {
      writeWords(text, to);
    }
  }

  private void writeWords(String text, Lines to) {
    Matcher piece = PIECES.matcher(text);
    while (piece.find()) {
      if (piece.group(1) != null) {
        blanks(piece.group(), to);
      } else if (piece.group(2) == null) {
        to.append(piece.group());
      } else if (spacing == Spacing.LINES) {
        lineBreak(to);
      } else if (spacing == Spacing.ITEMS) {
        breakLines(1, to);
      } else {
        to.space();
      }
    }
  }

  /** White space of HTML; at the beginning of a line no-break spaces indent. */
  private static void blanks(String blanks, Lines to) {
    int fixed = blanks.indexOf('\u00a0');
    if (!to.atLineStart()) {
      to.space();
    } else if (fixed >= 0 && blanks.length() - fixed > 1) {
      to.blanks(" ".repeat(blanks.length() - fixed));
    }
  }

  private static void writeAsWritten(String text, Lines to) {
    Matcher piece = WRITTEN_PIECES.matcher(text);
    while (piece.find()) {
      if (piece.group(1) == null) {
        to.append(piece.group());
        continue;
      }
      String blanks = piece.group();
      int line = blanks.lastIndexOf('\n');
      if (line >= 0) {
        to.breakLines((int) blanks.chars().filter(c -> c == '\n').limit(2).count());
      }
      to.blanks(blanks.substring(line + 1));
    }
  }
}
