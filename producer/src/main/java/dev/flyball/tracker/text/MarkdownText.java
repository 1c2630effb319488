package dev.flyball.tracker.text;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Delimited;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * What a reader sees of Markdown, or of Textile: CommonMark's tree becomes HTML, and that becomes
 * text. Emphasis and tables stay as they are written. Never throws, and takes bounded time,
 * whatever the input.
 */
public final class MarkdownText {
  /**
   * Longest text that is parsed, in characters, twice as long as GitHub allows: what an attacker
   * writes may take the square of its length. What follows is marked as left out.
   */
  static final int MAX_MARKUP = 128 * 1024;

  /**
   * Elements in each other that are parsed; deeper ones are text, so that none overflows a stack.
   */
  private static final int MAX_DEPTH = 100;

  private static final Parser PARSER =
      Parser.builder().maxOpenBlockParsers(MAX_DEPTH).maxInlineNesting(MAX_DEPTH).build();

  private static final HtmlRenderer RENDERER =
      HtmlRenderer.builder()
          .softbreak("<br>")
          .attributeProviderFactory(_ -> MarkdownText::asWritten)
          .build();

  /** Begins neither a tag nor a comment; the parser would look for its end in all of the text. */
  private static final Pattern BARE = Pattern.compile("<(?![a-zA-Z/!?])");

  /** Replaces such a sign for a while: a character that no text contains. */
  private static final String SIGN = "\uFFFE";

  /** A comment, an instruction, data, or a tag with its name and attributes. */
  private static final Pattern TAG =
      Pattern.compile(
          "(?s)<!--(?:-?>|.*?(?:-->|\\z))|<\\?.*?(?:\\?>|\\z)|<!\\[CDATA\\[.*?(?:]]>|\\z)"
              + "|<!.*?(?:>|\\z)|<(/?)([a-zA-Z][a-zA-Z0-9:-]*+)((?:[^<>\"']|\"[^\"]*+\"|'[^']*+')*+)>?");

  /** GitHub's Markdown shows their tags as text, and so what is between them. */
  private static final Set<String> SHOWN =
      HtmlText.words("title textarea style xmp iframe noembed noframes script plaintext");

  /**
   * What Textile shows as it is written: its own code, that of Markdown, which Redmine's texts may
   * be as well, and a backslash. Code in a line is short, so that none takes long to find.
   */
  private static final Pattern TEXTILE =
      Pattern.compile(
          "(?ims)^ {0,3}(?<fence>`{3,}+|~{3,}+).*?(?:^ {0,3}\\k<fence>|\\z)"
              + "|(?<!`)(?<ticks>`++)[^`\\n]++\\k<ticks>"
              + "|<pre\\b[^<>]*+>\\s*?(?:<code\\b[^<>]*+>)?(?<block>.*?)"
              + "(?:(?:</code>\\s*+)?</pre>|\\z)"
              + "|^bc\\.\\.?[ \\n](?<paragraph>.*?)(?=\\n\\n|\\z)"
              + "|<code\\b[^<>]*+>(?<element>.{0,2000}?)</code>"
              + "|(?<![\\w@])@(?<phrase>[^\\s@](?:[^@\\n]*[^\\s@])?)@(?![\\p{L}\\p{N}])"
              + "|(?<slash>\\\\)");

  private MarkdownText() {}

  /**
   * Cleans a field that is Markdown.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    return cleaned(field, false);
  }

  /** Cleans a field of Redmine, which may be Textile or Markdown: its answers do not say which. */
  public static String orTextile(String field) {
    return cleaned(field, true);
  }

  private static String cleaned(String field, boolean textile) {
    // Long data would cut off the words behind it; what is code stays whole in all other texts.
    String shorter = field.length() > MAX_MARKUP ? HtmlText.withoutData(field) : field;
    String start = shorter.substring(0, Math.min(shorter.length(), MAX_MARKUP));
    String text = start.replace("\r\n", "\n").replace("\0", "").replace(SIGN, "");
    String markdown =
        textile
            ? TEXTILE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(inMarkdown(found)))
            : text;
    Node document = PARSER.parse(BARE.matcher(markdown).replaceAll(SIGN));
    document.accept(new AsGitHub());
    return CleanText.plain(
        HtmlText.of(RENDERER.render(document)).replace(SIGN, "<")
            + CleanText.leftOut(shorter, MAX_MARKUP));
  }

  /** Textile's code as that of Markdown. */
  private static String inMarkdown(MatchResult found) {
    String line = found.group("element") == null ? found.group("phrase") : found.group("element");
    if (line != null) {
      return "`` " + line.strip() + " ``";
    }
    String block = found.group("block") == null ? found.group("paragraph") : found.group("block");
    if (block != null) {
      return "\n" + HtmlText.fenced(block) + "\n";
    }
    return found.group("slash") == null ? found.group() : "\\\\";
  }

  /** Emphasis keeps its marks and code its blanks. */
  private static void asWritten(Node node, String tag, Map<String, String> attributes) {
    if (node instanceof Delimited emphasis) {
      attributes.put(HtmlText.MARK, emphasis.getOpeningDelimiter());
    } else if (node instanceof Code) {
      attributes.put("style", "white-space:pre");
    }
  }

  /** Changes HTML within Markdown to what GitHub's page has of it. */
  private static final class AsGitHub extends AbstractVisitor {
    @Override
    public void visit(HtmlBlock block) {
      block.setLiteral(html(block.getLiteral()));
    }

    @Override
    public void visit(HtmlInline inline) {
      inline.setLiteral(html(inline.getLiteral()));
    }
  }

  private static String html(String literal) {
    return TAG.matcher(literal).replaceAll(tag -> Matcher.quoteReplacement(tag(tag)));
  }

  /**
   * A tag as GitHub's page has it. A name in brackets that gives text no form, as in {@code
   * List<String>}, stays as text, which the page would lose.
   */
  private static String tag(MatchResult tag) {
    if (tag.group(2) == null) {
      return "";
    }
    String name = tag.group(2).toLowerCase(Locale.ROOT);
    boolean alone = tag.group(3).replace('/', ' ').isBlank();
    boolean typeParameter = alone && tag.group(2).matches("[A-Z]");
    if (HtmlText.known(name) && !typeParameter) {
      return tag.group();
    }
    boolean hides = HtmlText.DROPPED.contains(name) && !tag.group(1).isEmpty();
    return SHOWN.contains(name) || (alone && !hides) ? "&lt;" + tag.group().substring(1) : "";
  }
}
