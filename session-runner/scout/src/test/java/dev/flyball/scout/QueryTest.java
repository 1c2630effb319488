package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class QueryTest {

  @Test
  void findsFilesTypesAndFolders() {
    Query query =
        query("see a/b/C.java:12, notes.md and dev.house.Ledger in session-runner/src/main");
    assertThat(query.mentions())
        .contains(
            new Query.Mention("a/b/c.java", 12),
            new Query.Mention("notes.md", 0),
            new Query.Mention("dev/house/ledger.*", 0),
            new Query.Mention("session-runner/src/main/", 0));
  }

  @Test
  void dropsMarkUpButKeepsTypeArguments() {
    Query query = query("<div style=\"color:red\">total&nbsp;price</div> List<Passage>");
    assertThat(query.word("color")).isNegative();
    assertThat(query.word("total")).isNotNegative();
    assertThat(query.word("passage")).isNotNegative();
  }

  @Test
  void aThousandRepetitionsDoNotOutweighTheTitle() {
    Query query = Query.of(Orchard.item("cursor", "offset ".repeat(1000)));
    double cursor = query.terms().get(query.word("cursor")).weight();
    assertThat(query.terms().get(query.word("offset")).weight()).isLessThanOrEqualTo(cursor);
  }

  /** Texts that make careless patterns slow or deep. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a/",
        "a.",
        "<!--",
        "<a ",
        "&",
        "aB",
        "\ud83d\ude00",
        "a\\b/",
        "_",
        "http://"
      })
  @Timeout(20)
  void hostileTextsAreReadInTime(String part) {
    String text = part.repeat(Query.MAX_TEXT);
    long start = System.nanoTime();
    assertThat(query(text).terms()).hasSizeLessThanOrEqualTo(Query.MAX_TERMS);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
  }

  private static Query query(String text) {
    return Query.of(Orchard.item("", text));
  }
}
