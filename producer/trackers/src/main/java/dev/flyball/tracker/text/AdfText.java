package dev.flyball.tracker.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.io.IOException;
import java.util.List;
import org.jsoup.nodes.Element;

/**
 * Jira Cloud's document format (ADF, JSON) as the same text that {@link CleanText} produces from
 * the same content in HTML. Never throws, and takes time linear in its input, however deep it is
 * nested.
 */
public final class AdfText {
  /**
   * Longest JSON that is read for its words, in characters: a parser keeps about 100 bytes for each
   * open level.
   */
  private static final int MOST = 1024 * 1024;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
          .build();

  private AdfText() {}

  /**
   * Cleans a field of a Jira answer. What is not a document is returned as text. If a document
   * breaks off, or is nested deeper than our JSON parser goes, its text is kept without its
   * structure.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String json) {
    if (!json.stripLeading().startsWith("{")) {
      return CleanText.of(json);
    }
    try {
      JsonNode document = RecordJson.parse(json);
      if (!document.path("type").isTextual()) {
        return CleanText.of(json);
      }
      Element html = AdfElements.of(document);
      return Tidy.lines(HtmlRenderer.text(html, TextWriter.Spacing.LINES, List.of()));
    } catch (UnreadableRecord e) {
      return Tidy.lines(words(json));
    }
  }

  /** A line for each text, up to where the JSON breaks off; if there is none, the JSON as text. */
  private static String words(String json) {
    var words = new StringBuilder();
    boolean whole = false;
    try (JsonParser parser = JSON.createParser(json.substring(0, Math.min(json.length(), MOST)))) {
      JsonToken token = parser.nextToken();
      while (token != null) {
        if (token == JsonToken.VALUE_STRING && "text".equals(parser.currentName())) {
          words.append(parser.getText()).append('\n');
        }
        token = parser.nextToken();
      }
      whole = json.length() <= MOST;
    } catch (IOException e) {
      // The mark below reports it.
    }
    if (words.isEmpty() && !whole) {
      return CleanText.of(json);
    }
    return whole ? words.toString() : words + "[cut: the rest cannot be read]";
  }
}
