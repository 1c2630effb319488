package dev.flyball.tracker.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;

/**
 * Jira Cloud's document format (ADF, JSON) as the same text that {@link CleanText} produces from
 * the same content in HTML. Never throws, and takes time linear in its input, however deep it is
 * nested.
 */
public final class AdfText {
  private AdfText() {}

  /**
   * Cleans a field of a Jira answer: a document, plain text in fields that still hold text, or
   * null.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(JsonNode field) {
    if (field.isValueNode()) {
      return field.isNull() ? "" : CleanText.of(field.asText());
    }
    var page = new Page(Spacing.LINES);
    new AdfWalk(page).walk(field);
    return Tidy.lines(page.text());
  }

  /**
   * The same for its JSON as text. What is not a document is returned as text. If a document breaks
   * off, or is nested deeper than our JSON parser goes, its text is kept without its structure.
   */
  public static String of(String json) {
    if (!json.stripLeading().startsWith("{")) {
      return CleanText.of(json);
    }
    try {
      JsonNode field = RecordJson.parse(json);
      return field.path("type").isTextual() ? of(field) : CleanText.of(json);
    } catch (UnreadableRecord e) {
      return Tidy.lines(AdfSalvage.words(json));
    }
  }
}
