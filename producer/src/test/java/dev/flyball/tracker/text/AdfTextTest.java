package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-24, S0-14: Jira's documents become clean text")
class AdfTextTest {

  @Test
  void wrongTypesAreAsIfTheyWereNotThere() {
    assertThat(
            adf(
                """
                {type: 7, content: {a: {type: text, text: a}}},
                {type: paragraph, content: [null, 3, 'x', [], {type: text, text: [b]},
                  {type: text, text: c, marks: {type: link}}, {type: date, attrs: {timestamp: soon}},
                  {type: date, attrs: {timestamp: '9223372036854775807'}}]},
                {type: orderedList, attrs: {order: -5}, content: [{type: listItem}]}
                """))
        .isEqualTo("a\n\ncsoon9223372036854775807");
  }

  @Test
  void aDocumentThatBreaksOffKeepsItsWords() {
    assertThat(
            AdfText.of(
                "{\"type\":\"doc\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},"
                    + "{\"type\":\"text\",\"text\":\"two\"},{\"type\":\"te"))
        .isEqualTo("one\ntwo\n[cut: the rest cannot be read]");
  }

  @Test
  void aDocumentDeeperThanOurReaderGoesKeepsItsWords() {
    int depth = 20_000;
    String deep =
        "{\"type\":\"doc\",\"content\":[".repeat(depth)
            + "{\"type\":\"text\",\"text\":\"down here\"}"
            + "]}".repeat(depth);

    assertThat(AdfText.of(deep)).isEqualTo("down here");
  }

  /** The nodes of a document, written without quotes where that is clear. */
  private static String adf(String nodes) {
    String json =
        nodes
            .replaceAll("'([^']*)'", "\"$1\"")
            .replaceAll("([{,]\\s*)([a-z]\\w*):", "$1\"$2\":")
            .replaceAll("(: |\\[)([A-Za-z][\\w() ]*)(?=[,}\\]])", "$1\"$2\"")
            .replace("\"null\"", "null")
            .replace("[null", "[null");
    return AdfText.of("{\"type\":\"doc\",\"version\":1,\"content\":[" + json + "]}");
  }
}
