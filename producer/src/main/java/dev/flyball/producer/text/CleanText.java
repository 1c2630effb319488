package dev.flyball.producer.text;

import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.parser.Parser;
import org.jsoup.select.NodeTraversor;

/**
 * What a person would read in a tracker's field, as plain text: markup, scripts and hidden parts
 * go, line structure, lists, tables, code and addresses stay. Never throws, and takes time linear
 * in its input, whatever the input.
 */
public final class CleanText {
  /**
   * Longest markup that is parsed, in characters: a parsed tree takes some hundred bytes for each
   * tag, so that this is about 100 MB at worst. What is beyond is marked as left out.
   */
  static final int MAX_MARKUP = 1024 * 1024;

  private static final Pattern INLINE_DATA =
      Pattern.compile("data:[a-zA-Z0-9/+.;=-]{0,100}base64,[A-Za-z0-9+/=\\s]*+");

  private CleanText() {}

  /**
   * Cleans a field that may be HTML or plain text.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    if (HtmlSigns.hasTags(field)) {
      return Tidy.lines(ofHtml(field));
    }
    return Tidy.lines(HtmlSigns.hasEntities(field) ? Parser.unescapeEntities(field, false) : field);
  }

  /** Cleans a title: the same on one line. */
  public static String title(String field) {
    return Tidy.line(HtmlSigns.hasEntities(field) ? Parser.unescapeEntities(field, false) : field);
  }

  private static String ofHtml(String html) {
    String shorter = html.length() > MAX_MARKUP ? INLINE_DATA.matcher(html).replaceAll("") : html;
    int end = Math.min(shorter.length(), MAX_MARKUP);
    String markup = shorter.substring(0, end);
    try {
      Document document = Jsoup.parse(markup);
      var rendering = new Rendering(!HtmlSigns.hasBlocks(markup));
      NodeTraversor.filter(rendering, document.body());
      int rest = shorter.length() - end;
      return rest == 0
          ? rendering.text()
          : rendering.text() + "\n[cut: " + rest + " characters of markup left out]";
    } catch (RuntimeException e) {
      // A fault of the parser must not stop a poll; the raw markup is ugly and still says what the
      // item says.
      return markup;
    }
  }
}
