package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.select.NodeFilter;
import org.jsoup.select.NodeTraversor;
import org.jspecify.annotations.Nullable;

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

  /** Open elements, other than code, whose white space is kept. */
  private int preserved;

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
      if (visible() && preserved > 0) {
        writer.preserved(text.getWholeText());
      } else if (visible()) {
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
      preserved += Hidden.preserves(element) ? 1 : 0;
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
      preserved -= Hidden.preserves(element) ? 1 : 0;
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
      case ITEM -> writer.openItem(number(element.attr("value"), TextWriter.NEXT));
      case ROW -> writer.openRow(element.childrenSize());
      case CELL -> writer.openCell();
      case PREFORMATTED -> writer.openPre();
      case CODE -> writer.open("`");
      case STRUCK_OUT -> writer.strikes(1);
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
      case HEADING -> writer.heading("");
      case QUOTE -> writer.closeQuote();
      case LIST -> writer.closeList();
      case ITEM -> writer.closeItem();
      case ROW -> writer.closeRow();
      case PREFORMATTED -> writer.closePre();
      case CODE -> writer.close("`", "`");
      case STRUCK_OUT -> writer.strikes(-1);
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

  /**
   * Elements that a reader of the tracker's page does not see: tracking pixels, remains of mail
   * programs, hidden instructions to an agent.
   */
  static final class Hidden {
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

    private static boolean point(String size) {
      return POINT.matcher(size).matches();
    }
  }

  /**
   * The meaning of an HTML element for a reader; {@link HtmlRenderer} has the rule of each.
   * Elements that are not named are running text.
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
     * A piece of Markdown's code that must stay as it is; no real document can contain this
     * element.
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

  /** Where a link goes, as far as a reader needs to know. */
  static final class Address {
    private static final int MOST = 500;

    /** Parameters that record where a visitor came from, and do not affect where the link goes. */
    private static final Set<String> TRACKING =
        Set.of(
            "fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "mkt_tok",
            "_hsenc", "_hsmi");

    /** Trackers' classes for a mention of a person or team: only the name is shown. */
    private static final Set<String> MENTIONS =
        Set.of("user-mention", "user-hover", "team-mention", "jira-user", "confluence-userlink");

    private Address() {}

    /** A link's address; empty for a mention. */
    static String of(Element link) {
      boolean mention = link.classNames().stream().anyMatch(MENTIONS::contains);
      return mention || link.hasAttr("data-mention-id") ? "" : of(link.attr("href"));
    }

    /**
     * An address without tracking, cut where it is very long. Empty for a link that leads to no
     * other page: places of the same page, scripts, inline data.
     */
    static String of(String href) {
      String address = href.strip();
      if (address.startsWith("#") || !leads(address)) {
        return "";
      }
      String plain = withoutTracking(address);
      return plain.length() > MOST ? plain.substring(0, MOST) + "..." : plain;
    }

    private static boolean leads(String address) {
      int colon = address.indexOf(':');
      String scheme =
          colon < 0 ? "" : address.substring(0, Math.min(colon, 16)).toLowerCase(Locale.ROOT);
      return switch (scheme) {
        case "javascript", "data", "vbscript" -> false;
        default -> true;
      };
    }

    private static String withoutTracking(String address) {
      int query = address.indexOf('?');
      int fragment = address.indexOf('#');
      if (query < 0 || (fragment >= 0 && fragment < query)) {
        return address;
      }
      int end = fragment < 0 ? address.length() : fragment;
      var kept = new StringBuilder();
      int from = query + 1;
      while (from < end) {
        int next = address.indexOf('&', from);
        int to = next < 0 || next > end ? end : next;
        if (!tracking(address.substring(from, to))) {
          kept.append(kept.isEmpty() ? '?' : '&').append(address, from, to);
        }
        from = to + 1;
      }
      return address.substring(0, query) + kept + address.substring(end);
    }

    private static boolean tracking(String parameter) {
      int equals = parameter.indexOf('=');
      String name =
          (equals < 0 ? parameter : parameter.substring(0, equals)).toLowerCase(Locale.ROOT);
      return name.startsWith("utm_") || TRACKING.contains(name);
    }
  }
}
