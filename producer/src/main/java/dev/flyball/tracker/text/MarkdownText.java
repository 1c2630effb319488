package dev.flyball.tracker.text;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.LinkReferenceDefinition;
import org.commonmark.node.Node;
import org.commonmark.node.SourceSpan;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Markdown as it is written, without what its reader would not see: comments and HTML. Code stays
 * verbatim, with its tags. Never throws, and takes bounded time, whatever the input.
 *
 * <p>CommonMark's parser says where code and HTML are. The text becomes HTML in which only that is
 * markup: code is the text of an element, and every other special character is escaped.
 */
public final class MarkdownText {
  /**
   * Longest text that is parsed, in characters, twice as long as GitHub allows: what an attacker
   * writes may take the square of its length. What follows is marked as left out.
   */
  static final int MAX_MARKUP = 128 * 1024;

  /** Quotations and lists in each other that are parsed; deeper ones are text. */
  private static final int MAX_DEPTH = 100;

  private static final Parser PARSER =
      Parser.builder()
          .includeSourceSpans(IncludeSourceSpans.BLOCKS_AND_INLINES)
          .maxOpenBlockParsers(MAX_DEPTH)
          .build();

  /** Without one of these nothing is hidden, and the text can stay as it is. */
  private static final Pattern SIGN = Pattern.compile("[<&]|\\]:|data:");

  /** Inline data of a picture or a file, which no reader sees and which would fill the text. */
  private static final String INLINE_DATA =
      "data:[a-zA-Z]{1,20}/[a-zA-Z0-9;=+.-]{1,100},[^\\s()<>\"'\\[\\]`]*+";

  private static final Pattern DATA = Pattern.compile(INLINE_DATA);

  /** What is not the same in HTML as in Markdown's text. */
  private static final Pattern SPECIAL =
      Pattern.compile(INLINE_DATA + "|" + HtmlSigns.REFERENCE + "|\\\\[<&`\\\\]|[<&]");

  /** Begins neither a tag nor a comment; the parser would look for its end in all of the text. */
  private static final Pattern BARE = Pattern.compile("<(?![a-zA-Z/!?>])");

  private static final Pattern TAG = Pattern.compile("<(/?)([a-zA-Z][a-zA-Z0-9:-]*)([^<>]*+)");

  /** GitHub's Markdown shows their tags as text, and so what is between them. */
  private static final Set<String> SHOWN =
      HtmlText.words("title textarea style xmp iframe noembed noframes script plaintext");

  /** Attributes without a value; any other bare word in a tag makes it plain text. */
  private static final Set<String> ALONE =
      HtmlText.words("hidden open checked disabled reversed inert nowrap noshade");

  private final String text;
  private final Set<String> opened = new HashSet<>();
  private final Set<String> closed = new HashSet<>();
  private final StringBuilder markup = new StringBuilder();

  /** How far the text was turned into markup. */
  private int done;

  /**
   * Cleans a field that is Markdown.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    return Tidy.lines(untidy(field));
  }

  /** The same before {@link Tidy}. */
  static String untidy(String field) {
    if (!SIGN.matcher(field).find()) {
      return field;
    }
    // Long data would cut off the words behind it; what is code stays whole in all other texts.
    String shorter = field.length() > MAX_MARKUP ? DATA.matcher(field).replaceAll("") : field;
    String text = shorter.substring(0, Math.min(shorter.length(), MAX_MARKUP));
    return HtmlText.of(new MarkdownText(text).html(), HtmlText.Spacing.WRITTEN, text)
        + Tidy.leftOut(shorter, MAX_MARKUP);
  }

  private MarkdownText(String text) {
    this.text = text;
  }

  private String html() {
    Matcher tags = TAG.matcher(text);
    while (tags.find()) {
      (tags.group(1).isEmpty() ? opened : closed).add(tags.group(2).toLowerCase(Locale.ROOT));
    }
    Node document = PARSER.parse(BARE.matcher(text).replaceAll("\u0001"));
    var destinations = new HashSet<String>();
    for (Node node = document; node != null; node = next(node)) {
      // Where a definition says where it goes, and not its own text.
      if (node instanceof Link link && text.startsWith("]", end(link) - 1)) {
        destinations.add(link.getDestination());
      } else if (node instanceof Image image && text.startsWith("]", end(image) - 1)) {
        destinations.add(image.getDestination());
      }
    }
    for (Node node = document; node != null; node = next(node)) {
      List<SourceSpan> spans = node.getSourceSpans();
      if (!spans.isEmpty() && spans.getFirst().getInputIndex() >= done) {
        node(node, spans.getFirst().getInputIndex(), end(node), destinations);
      }
    }
    literal(text.length());
    return markup.toString();
  }

  /** Where a node ends; 0 if it is not in the text. */
  private static int end(Node node) {
    List<SourceSpan> spans = node.getSourceSpans();
    return spans.isEmpty() ? 0 : spans.getLast().getInputIndex() + spans.getLast().getLength();
  }

  /** The node after this one in the order of the text; null after the last. */
  private static @Nullable Node next(Node node) {
    if (node.getFirstChild() != null) {
      return node.getFirstChild();
    }
    Node at = node;
    while (at != null && at.getNext() == null) {
      at = at.getParent();
    }
    return at == null ? null : at.getNext();
  }

  private void node(Node node, int from, int to, Set<String> destinations) {
    switch (node) {
      case Code _, FencedCodeBlock _, IndentedCodeBlock _ -> {
        String code = text.substring(from, to).replace("&", "&amp;").replace("<", "&lt;");
        replace(from, to, "<" + HtmlText.CODE + ">" + code + "</" + HtmlText.CODE + ">");
      }
      case HtmlBlock _ -> html(from, to);
      case HtmlInline html when !html.getLiteral().matches("(?s)<[!?].*") -> html(from, to);
      case HtmlInline _ -> replace(from, to, "");
      case LinkReferenceDefinition link -> {
        boolean used = destinations.contains(link.getDestination());
        String address = "[" + link.getLabel() + "]: " + link.getDestination();
        replace(from, to, used ? escaped(address) : "");
      }
      case Image image when image.getDestination().startsWith("data:") -> {
        int end = text.indexOf(']', from);
        String alt = end > from + 2 && end < to ? text.substring(from + 2, end) : "";
        replace(from, to, alt.isEmpty() ? "" : escaped("[image: " + alt + "]"));
      }
      default -> {}
    }
  }

  private void replace(int from, int to, String html) {
    literal(from);
    markup.append(html);
    done = to;
  }

  /** HTML, in which names that HTML does not have stay as text, as in {@code List<String>}. */
  private void html(int from, int to) {
    literal(from);
    Matcher tags = TAG.matcher(text).region(from, to);
    while (tags.find()) {
      markup.append(text, done, tags.start());
      done = tags.start();
      String name = tags.group(2).toLowerCase(Locale.ROOT);
      String rest = tags.group(3).replace('/', ' ').strip().toLowerCase(Locale.ROOT);
      boolean attributes = rest.indexOf('=') >= 0 || ALONE.contains(rest);
      boolean tag =
          HtmlSigns.known(name)
              && !SHOWN.contains(name)
              && (attributes || (rest.isEmpty() && !typeParameter(name)));
      // Without its end it would hide all that follows.
      boolean endless =
          tags.group(1).isEmpty() && HtmlText.DROPPED.contains(name) && !closed.contains(name);
      if (!tag || (endless && !attributes)) {
        literal(done + 1);
      } else if (endless) {
        done = Math.min(to, tags.end() + 1);
      }
    }
    markup.append(text, done, to);
    done = to;
  }

  /** Whether a tag is rather a type parameter: a lone {@code <T>} or {@code <s>}. */
  private boolean typeParameter(String name) {
    return name.length() == 1
        && !name.equals("p")
        && !(opened.contains(name) && closed.contains(name));
  }

  /** Text up to here, with its character references and nothing else of HTML. */
  private void literal(int to) {
    if (to > done) {
      markup.append(escaped(text.substring(done, to)));
      done = to;
    }
  }

  private static String escaped(String text) {
    return SPECIAL
        .matcher(text)
        .replaceAll(found ->
            Matcher.quoteReplacement(
                switch (found.group()) {
                  case "<" -> "&lt;";
                  case "&" -> "&amp;";
                  case "\\<" -> "\\&lt;";
                  case "\\&" -> "\\&amp;";
                  case String data when data.startsWith("data:") -> "";
                  case String same -> same;
                }));
  }
}
