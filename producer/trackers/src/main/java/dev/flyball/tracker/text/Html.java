package dev.flyball.tracker.text;

import java.util.List;
import java.util.regex.Pattern;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.select.NodeTraversor;

/** HTML as text that still needs {@link Tidy}. */
final class Html {
  /**
   * Longest markup that is parsed, in characters: a parsed tree takes some hundred bytes for each
   * tag, so that this is about 100 MB at worst. Markup after it is marked as left out.
   */
  static final int MAX_MARKUP = 1024 * 1024;

  private static final Pattern INLINE_DATA =
      Pattern.compile("data:[a-zA-Z0-9/+.;=-]{0,100}base64,[A-Za-z0-9+/=\\s]*+");

  private Html() {}

  /**
   * What a reader of the page sees.
   *
   * @param codes pieces that stay as they are, by the number that their element carries
   * @param otherwise the item's text as it was written, used if the parser fails
   */
  static String text(String html, Spacing spacing, List<String> codes, String otherwise) {
    String shorter = html.length() > MAX_MARKUP ? INLINE_DATA.matcher(html).replaceAll("") : html;
    int end = Math.min(shorter.length(), MAX_MARKUP);
    String markup = shorter.substring(0, end);
    try {
      Document document = Jsoup.parse(markup);
      var page = new Page(spacing);
      NodeTraversor.filter(new Rendering(page, codes), document.body());
      int rest = shorter.length() - end;
      return rest == 0
          ? page.text()
          : page.text() + "\n[cut: " + rest + " characters of markup left out]";
    } catch (RuntimeException e) {
      // A fault of the parser must not stop a poll; the original text is hard to read but complete.
      return otherwise;
    }
  }
}
