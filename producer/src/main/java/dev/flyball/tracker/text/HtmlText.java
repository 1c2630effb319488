package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.Evaluator;
import org.jsoup.select.Selector;

/**
 * What a reader of a page sees of a tree of elements, as text that still needs {@link
 * CleanText#plain}. White space is held back until words follow, so that adjacent blocks make one
 * break and empty elements leave nothing. It recurses, because jsoup and our JSON parser bound a
 * tree's depth.
 */
final class HtmlText {
  /** The attribute of emphasis that says its marks. */
  static final String MARK = "data-flyball-mark";

  /** Removed with their content. */
  static final Set<String> DROPPED =
      words(
          "script style noscript template head title meta link iframe object embed svg canvas audio"
              + " video source track map noframes");

  private static final Set<String> PARAGRAPHS =
      words("p table hr figure section article h1 h2 h3 h4 h5 h6 blockquote pre");
  private static final Set<String> BLOCKS =
      words(
          "div dl dt dd caption address aside center fieldset figcaption footer form header legend"
              + " main nav details summary thead tbody tfoot tr ul ol menu li");
  private static final Set<String> OTHERS =
      words(
          "a abbr b bdi bdo big br button cite code col colgroup del dfn em font i img input ins"
              + " kbd label mark o:p q rp rt ruby s samp small span strike strong sub sup td th tt"
              + " u var wbr");

  /** Elements that give lines. */
  private static final Evaluator LINES =
      Selector.evaluatorOf(String.join(",", PARAGRAPHS) + "," + String.join(",", BLOCKS) + ",br");

  /** Inline data of a picture or a file, which no reader sees and which would fill the text. */
  private static final Pattern DATA =
      Pattern.compile("data:[a-zA-Z]{1,20}/[a-zA-Z0-9;=+.-]{1,100},[^\\s()<>\"'\\[\\]`]*+");

  private static final Pattern SPACE = Pattern.compile("[ \\t\\r\\n\\f]+");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

  /**
   * Elements with marks in each other; each copies what is in it, so that deeper ones have none.
   */
  private static final int MAX_MARKS = 50;

  private static final Pattern NOWHERE =
      Pattern.compile("(?is)|#.*|(?:javascript|data|vbscript|mailto):.*");

  private final StringBuilder text = new StringBuilder();

  private int newlines;
  private String gap = "";

  /** Whether white space has its own meaning: no element gives lines, or the style keeps it. */
  private boolean preserved;

  private final boolean preformatted;
  private boolean tiny;
  private boolean struckOut;
  private int lists;

  /** How many elements with marks are around. */
  private int depth;

  /** The number of the next item; negative if it has none. */
  private long number = -1;

  private HtmlText(boolean preserved, boolean preformatted, boolean tiny) {
    this.preserved = preserved;
    this.preformatted = preformatted;
    this.tiny = tiny;
  }

  static Set<String> words(String words) {
    return Set.of(words.split(" "));
  }

  /** Whether an element of that name, in lower case, gives text a form. */
  static boolean known(String name) {
    return PARAGRAPHS.contains(name) || BLOCKS.contains(name) || OTHERS.contains(name);
  }

  static String withoutData(String text) {
    return text.contains("data:") ? DATA.matcher(text).replaceAll("") : text;
  }

  /** Code as a block of Markdown; empty if there is none. */
  static String fenced(String code) {
    var fence = new StringBuilder("```");
    while (code.contains(fence) && fence.length() < 10) {
      fence.append('`');
    }
    String lines = (code.startsWith("\n") ? code.substring(1) : code).stripTrailing();
    return lines.isBlank() ? "" : fence + "\n" + lines + "\n" + fence;
  }

  /** Reads HTML. Where it has no element that gives lines, the lines are its own. */
  static String of(String html) {
    try {
      Element body = Jsoup.parse(html).body();
      return of(body, body.selectFirst(LINES) == null);
    } catch (RuntimeException e) {
      // A fault of the parser must not stop a poll; the original text is hard to read but complete.
      return html;
    }
  }

  static String of(Element root, boolean preserved) {
    var read = new HtmlText(preserved, false, false);
    read.children(root);
    return read.text.toString();
  }

  private void children(Element element) {
    for (Node node : element.childNodes()) {
      if (node instanceof Element child) {
        element(child);
      } else if (node instanceof TextNode words && !tiny) {
        write(words.getWholeText());
      }
    }
  }

  private void element(Element element) {
    String name = element.normalName();
    if (DROPPED.contains(name) || Hidden.is(element)) {
      return;
    }
    boolean tinyOutside = tiny;
    boolean preservedOutside = preserved;
    tiny = Hidden.tiny(element, tiny);
    preserved |= Hidden.preserves(element);
    edge(name);
    switch (name) {
      case "h1", "h2", "h3", "h4", "h5", "h6" ->
          marked("#".repeat(name.charAt(1) - '0') + " ", element, "", "");
      case "blockquote" -> marked("> ", element, "", "> ");
      case "br" -> newline(Math.min(2, newlines + 1));
      case "ul", "ol", "menu" -> list(element);
      case "li" -> item(element);
      case "tr" -> row(element);
      case "pre" -> block(element);
      case "code", "kbd", "samp", "tt" -> {
        boolean ticks = element.wholeText().contains("`");
        marked(ticks ? "`` " : "`", element, ticks ? " ``" : "`", "");
      }
      case "sup" -> script("^", element);
      case "sub" -> script("_", element);
      case "del", "s", "strike" -> {
        String strike = struckOut ? "" : "~~";
        struckOut = true;
        marked(strike, element, strike, "");
        struckOut = strike.isEmpty();
      }
      case "em", "strong" -> marked(element.attr(MARK), element, element.attr(MARK), "");
      case "a" -> link(element);
      case "img" -> append(tiny ? "" : image(element.attr("alt").strip()));
      case "input" -> append(tiny ? "" : checkbox(element));
      default -> children(element);
    }
    edge(name);
    preserved = preservedOutside;
    tiny = tinyOutside;
  }

  /** The edge of a block; a list has no blank lines. */
  private void edge(String name) {
    boolean paragraph = PARAGRAPHS.contains(name);
    if (paragraph || BLOCKS.contains(name)) {
      newline(Math.max(newlines, paragraph && lists == 0 ? 2 : 1));
    }
  }

  private void newline(int wanted) {
    newlines = wanted;
    gap = "";
  }

  private void append(String words) {
    if (!words.isEmpty()) {
      text.repeat('\n', text.isEmpty() ? 0 : newlines).append(gap).append(words);
      newline(0);
    }
  }

  private void write(String words) {
    if (preserved) {
      append(words);
      return;
    }
    String line = SPACE.matcher(withoutData(words)).replaceAll(" ");
    gap = line.startsWith(" ") && newlines == 0 ? " " : gap;
    append(line.strip());
    gap = line.endsWith(" ") && newlines == 0 ? " " : gap;
  }

  /** What an element shows, if anything, with marks; code, and what grew too much, has none. */
  private void marked(String open, Element element, String close, String further) {
    int start = text.length();
    depth++;
    children(element);
    depth--;
    while (start < text.length() && Character.isWhitespace(text.charAt(start))) {
      start++;
    }
    if (start < text.length()
        && !preformatted
        && depth < MAX_MARKS
        && text.length() < CleanText.MAX_TEXT) {
      String words = text.substring(start).replace("\n", "\n" + further);
      text.replace(start, text.length(), open + words + close);
    }
  }

  /** A number or one word needs no brackets. */
  private void script(String sign, Element element) {
    boolean simple = element.childrenSize() == 0 && element.text().matches("[-+]?[\\p{L}\\p{N}]+");
    marked(simple ? sign : sign + "(", element, simple ? "" : ")", "");
  }

  private void list(Element list) {
    long outside = number;
    number = list.normalName().equals("ol") ? number(list.attr("start"), 1) : -1;
    lists++;
    children(list);
    lists--;
    number = outside;
  }

  private void item(Element item) {
    String mark = "- ";
    if (number >= 0) {
      long own = number(item.attr("value"), number);
      mark = own + ". ";
      number = own + 1;
    }
    Element first = item.firstElementChild();
    if (first != null && first.siblingIndex() == 0 && !checkbox(first).isEmpty()) {
      mark += checkbox(first) + " ";
      first.remove();
    }
    marked(mark, item, "", "  ");
  }

  /** A small number in an attribute; {@code otherwise} if it is not one. */
  private static long number(String text, long otherwise) {
    return NUMBER.matcher(text).matches() ? Long.parseLong(text) : otherwise;
  }

  private static String checkbox(Element input) {
    return !input.is("[type=checkbox]") ? "" : input.hasAttr("checked") ? "[x]" : "[ ]";
  }

  /** A line for a row of several cells, of which only code has lines by itself. */
  private void row(Element row) {
    if (row.childrenSize() < 2) {
      children(row);
      return;
    }
    var cells = new StringJoiner(" | ");
    for (Element cell : row.children()) {
      var inner = new HtmlText(preserved, preformatted, tiny);
      inner.element(cell);
      String words = inner.text.toString();
      cells.add(
          words.contains("```") ? "\n" + words + "\n" : words.strip().replaceAll("\\s+", " "));
    }
    append(cells.toString());
  }

  private void block(Element pre) {
    var inner = new HtmlText(true, true, tiny);
    inner.children(pre);
    append(preformatted ? inner.text.toString() : fenced(inner.text.toString()));
  }

  /** A link's text and address, which is left out where the text says it. */
  private void link(Element link) {
    int start = text.length();
    children(link);
    String address = link.attr("href").strip();
    String words = text.substring(start).strip();
    if (tiny || preformatted || NOWHERE.matcher(address).matches() || words.startsWith(address)) {
      return;
    }
    if (words.isEmpty()) {
      append(address);
    } else {
      text.append(" (").append(address).append(')');
    }
  }

  private static String image(String words) {
    return words.isEmpty() ? "" : "[image: " + words + "]";
  }

  /**
   * Elements that a reader of the tracker's page does not see: tracking pixels, remains of mail
   * programs, hidden instructions to an agent.
   */
  private static final class Hidden {
    /** Styles that hide an element by themselves; AWAY is so far that it leaves the page. */
    private static final Pattern STYLE =
        style(
            """
            display:none | visibility:(hidden|collapse) | mso-hide:all | clip:rect\\((0|1px,1px,1px,1px)
            | BEGIN opacity:ZERO(px|pt|r?em|%)?END | filter:opacity\\(ZERO%?\\)
            | BEGIN((margin-)?(left|top|right)|text-indent):AWAY | transform:translate[xy3d]*\\(([^,)]*,)?AWAY
            | transform:scale[xy3d]*\\(ZERO[,)] | clip-path:(inset\\((100|[5-9][0-9])%|circle\\(0)
            | BEGIN(color|-webkit-text-fill-color):(transparent|\\#[0-9a-f]{3}0|\\#[0-9a-f]{6}00
              |(rgb|hsl)a?\\((([^,;()]*,){3}|[^,;()/]*/)ZERO%?\\))END
            | BEGIN font:[a-z]*0(px|pt|em)?[/a-z"']
            """);

    /** A box without size, which hides its content only if that cannot overflow. */
    private static final Pattern NO_ROOM = style("BEGIN(max-)?(width|height):[01](px|pt)?END");

    private static final Pattern SIZE = Pattern.compile("(?:^|;)font-size:([^;!]*)");
    private static final Pattern TINY = style("0(\\.[0-9]+)?(px|pt) | 0(\\.0+)?[a-z%]* | 1p[xt]");
    private static final Pattern RELATIVE =
        style(".*([0-9]em|%|ex|ch) | inherit | smaller | larger");
    private static final Pattern PRESERVED =
        style("BEGIN white-space:(pre|pre-wrap|break-spaces)END");
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern POINT = Pattern.compile("\\s*[01](?:px)?\\s*");
    private static final int MAX_STYLE = 4096;

    /** A pattern for styles in lower case and without blanks. */
    private static Pattern style(String pattern) {
      return Pattern.compile(
          pattern
              .replace("BEGIN", "(^|;)")
              .replace("END", "(!important)?(;|$)")
              .replace("AWAY", "-([0-9]{4}|([5-9][0-9]{2}Fp|[1-9][0-9]{2}Fv|[5-9][0-9]Fr?em))")
              .replace("F", "(\\.[0-9]+)?")
              .replace("ZERO", "(0+(\\.0*)?|\\.0+)"),
          Pattern.COMMENTS);
    }

    static boolean is(Element element) {
      if (element.attributesSize() == 0) {
        return false;
      }
      boolean picture = element.normalName().equals("img");
      boolean point =
          POINT.matcher(element.attr("width")).matches()
              || POINT.matcher(element.attr("height")).matches();
      String style = style(element);
      return element.hasAttr("hidden")
          || element.attr("aria-hidden").equalsIgnoreCase("true")
          || (picture && point)
          || STYLE.matcher(style).find()
          || ((picture || style.contains("overflow:hidden")) && NO_ROOM.matcher(style).find());
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
      return TINY.matcher(size.group(1)).matches()
          || (outside && RELATIVE.matcher(size.group(1)).matches());
    }

    /** Whether a page keeps the element's white space, as of code that an editor copied. */
    static boolean preserves(Element element) {
      return PRESERVED.matcher(style(element)).find();
    }

    private static String style(Element element) {
      String style = element.attr("style");
      if (style.isEmpty()) {
        return style;
      }
      String start = style.substring(0, Math.min(style.length(), MAX_STYLE));
      return BLANKS.matcher(start).replaceAll("").toLowerCase(Locale.ROOT);
    }
  }
}
