package dev.flyball.scout;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The one JSON object that scout reads on its standard input; the runner's scout adapter writes it
 * with {@code RecordJson.write}. Unknown properties are ignored, absent ones are empty.
 *
 * @param item item key, only repeated in the answer
 * @param title the item's title; its words weigh most
 * @param text the item's clean text
 * @param tags the item's tags
 * @param modules parts of the repository that the verdict names
 */
public record ScoutInput(
    String item, String title, String text, List<String> tags, List<String> modules) {
  /** Longest input that is read, in bytes. A work item's text has 16 KiB, so more is a mistake. */
  public static final int MAX_BYTES = 1 << 20;

  private static final JsonFactory JSON = new JsonFactory();

  public ScoutInput {
    tags = List.copyOf(tags);
    modules = List.copyOf(modules);
  }

  /**
   * Reads the object with a streaming parser, because building an object mapper takes longer than
   * ranking.
   *
   * @throws IOException if it is no JSON object or has neither a title nor a text
   */
  static ScoutInput read(byte[] json) throws IOException {
    String item = "";
    String title = "";
    String text = "";
    List<String> tags = List.of();
    List<String> modules = List.of();
    try (JsonParser parser = JSON.createParser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("the input is no JSON object");
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        switch (name) {
          case "item" -> item = text(parser);
          case "title" -> title = text(parser);
          case "text" -> text = text(parser);
          case "tags" -> tags = texts(parser);
          case "modules" -> modules = texts(parser);
          default -> parser.skipChildren();
        }
      }
      if (parser.currentToken() != JsonToken.END_OBJECT) {
        throw new IOException("the input is cut off");
      }
    }
    if (title.isBlank() && text.isBlank()) {
      throw new IOException("the input has neither a title nor a text");
    }
    return new ScoutInput(item, title, text, tags, modules);
  }

  private static String text(JsonParser parser) throws IOException {
    if (parser.currentToken().isStructStart()) {
      parser.skipChildren();
      return "";
    }
    return parser.currentToken() == JsonToken.VALUE_NULL ? "" : parser.getText();
  }

  private static List<String> texts(JsonParser parser) throws IOException {
    var all = new ArrayList<String>();
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      return all;
    }
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() == null) {
        throw new IOException("the input is cut off");
      }
      all.add(text(parser));
    }
    return all;
  }
}
