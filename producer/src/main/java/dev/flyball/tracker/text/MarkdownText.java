package dev.flyball.tracker.text;

import dev.flyball.tracker.text.HtmlRenderer.HtmlElementKind;
import java.util.ArrayList;
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
 * markup: code becomes an empty element with a number, and every other special character is
 * escaped.
 */
public final class MarkdownText {
  /** Name of the element that replaces a piece of code; no input can contain it. */
  static final String CODE = "flyball-code";

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
  private static final Pattern DATA =
      Pattern.compile("data:[a-zA-Z]{1,20}/[a-zA-Z0-9;=+.-]{1,100},[^\\s()<>\"'\\[\\]`]*+");

  /** Begins neither a tag nor a comment; the parser would look for its end in all of the text. */
  private static final Pattern BARE = Pattern.compile("<(?![a-zA-Z/!?>])");

  private static final Pattern TAG = Pattern.compile("<(/?)([a-zA-Z][a-zA-Z0-9:-]*)([^<>]*+)");

  /** GitHub's Markdown shows their tags as text, and so what is between them. */
  private static final Set<String> SHOWN =
      Set.of(
          "title",
          "textarea",
          "style",
          "xmp",
          "iframe",
          "noembed",
          "noframes",
          "script",
          "plaintext");

  /** Attributes without a value; any other bare word in a tag makes it plain text. */
  private static final Set<String> ALONE =
      Set.of("hidden", "open", "checked", "disabled", "reversed", "inert", "nowrap", "noshade");

  private final String text;
  private final String lower;
  private final HtmlSigns.Pairs pairs;
  private final Set<String> closed = new HashSet<>();
  private final Set<String> destinations = new HashSet<>();
  private final StringBuilder markup = new StringBuilder();
  private final List<String> codes = new ArrayList<>();

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
    int end = Math.min(shorter.length(), MAX_MARKUP);
    int rest = shorter.length() - end;
    var scan = new MarkdownText(shorter.substring(0, end));
    String clean =
        HtmlRenderer.text(
            scan.markup.toString(), TextWriter.Spacing.WRITTEN, scan.codes, scan.text);
    return rest == 0 ? clean : clean + "\n[cut: " + rest + " characters of markup left out]";
  }

  private MarkdownText(String text) {
    this.text = text;
    this.lower = text.toLowerCase(Locale.ROOT);
    this.pairs = new HtmlSigns.Pairs(lower);
    Matcher tags = TAG.matcher(lower);
    while (tags.find()) {
      if (!tags.group(1).isEmpty()) {
        closed.add(tags.group(2));
      }
    }
    Node document = PARSER.parse(BARE.matcher(text).replaceAll("\u0001"));
    for (Node at = document; at != null; at = next(at)) {
      if (at instanceof Link link) {
        used(at, link.getDestination());
      } else if (at instanceof Image image) {
        used(at, image.getDestination());
      }
    }
    Node node = document;
    while (node != null) {
      node(node);
      node = next(node);
    }
    literal(text.length());
  }

  /** Remembers where a link goes that a definition says, and not its own text. */
  private void used(Node link, String destination) {
    List<SourceSpan> spans = link.getSourceSpans();
    if (!spans.isEmpty() && text.charAt(end(spans) - 1) == ']') {
      destinations.add(destination);
    }
  }

  private static int end(List<SourceSpan> spans) {
    return spans.getLast().getInputIndex() + spans.getLast().getLength();
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

  private void node(Node node) {
    List<SourceSpan> spans = node.getSourceSpans();
    if (spans.isEmpty() || spans.getFirst().getInputIndex() < done) {
      return;
    }
    int from = spans.getFirst().getInputIndex();
    int to = end(spans);
    switch (node) {
      case Code _, FencedCodeBlock _, IndentedCodeBlock _ -> code(from, to);
      case HtmlBlock _ -> html(from, to);
      case HtmlInline html when !html.getLiteral().matches("(?s)<[!?].*") -> html(from, to);
      case HtmlInline _ -> leaveOut(from, to);
      case LinkReferenceDefinition link -> {
        leaveOut(from, to);
        if (destinations.contains(link.getDestination())) {
          words("[" + link.getLabel() + "]: " + link.getDestination());
        }
      }
      case Image image when image.getDestination().startsWith("data:") -> {
        int alt = text.indexOf(']', from);
        leaveOut(from, to);
        words(alt > from + 2 && alt < to ? "[image: " + text.substring(from + 2, alt) + "]" : "");
      }
      default -> {}
    }
  }

  private void code(int from, int to) {
    literal(from);
    markup.append('<').append(CODE).append(" n=").append(codes.size());
    markup.append("></").append(CODE).append('>');
    codes.add(text.substring(from, to));
    done = to;
  }

  private void leaveOut(int from, int to) {
    literal(from);
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
      boolean tag = attributes || (rest.isEmpty() && pairs.markup(name));
      if (!tag || SHOWN.contains(name) || !HtmlSigns.known(name)) {
        literal(done + 1);
      } else if (tags.group(1).isEmpty()
          && HtmlElementKind.of(name) == HtmlElementKind.DROPPED
          && !closed.contains(name)) {
        // Its end, without which it would hide all that follows, is missing.
        if (attributes) {
          done = Math.min(to, tags.end() + 1);
        } else {
          literal(done + 1);
        }
      }
    }
    markup.append(text, done, to);
    done = to;
  }

  private void words(String words) {
    DATA.matcher(words).replaceAll("").chars().forEach(c -> escaped((char) c));
  }

  /** Text up to here, with its character references and nothing else of HTML. */
  private void literal(int to) {
    Matcher data = DATA.matcher(text).region(Math.min(done, to), to);
    int hidden = data.find() ? data.start() : to;
    while (done < to) {
      if (done == hidden) {
        done = data.end();
        hidden = data.find() ? data.start() : to;
        continue;
      }
      char c = text.charAt(done++);
      if (c == '\\' && done < to && "<&`\\".indexOf(text.charAt(done)) >= 0) {
        markup.append(c);
        escaped(text.charAt(done++));
      } else if (c == '&' && HtmlSigns.entityAt(text, done - 1)) {
        markup.append(c);
      } else {
        escaped(c);
      }
    }
  }

  private void escaped(char c) {
    switch (c) {
      case '<' -> markup.append("&lt;");
      case '&' -> markup.append("&amp;");
      default -> markup.append(c);
    }
  }
}
