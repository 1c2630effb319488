package dev.flyball.tracker.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;

/** The text of a document that cannot be read as one. */
final class AdfSalvage {
  /**
   * Longest JSON that is read, in characters: a parser keeps about 100 bytes for each open level.
   */
  private static final int MOST = 1024 * 1024;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).build())
          .build();

  private AdfSalvage() {}

  /**
   * A line for each text, up to where the JSON breaks off; if there is none, a note that names what
   * it was.
   */
  static String words(String json) {
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
