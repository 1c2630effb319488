package dev.flyball.tracker.jira;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JqlTest {
  @Test
  void whatChangedIsAddedWithoutATimeZone() {
    Jql query = Jql.of("project = A OR project = B");

    assertThat(query.text(Instant.ofEpochMilli(1_770_710_400_123L)))
        .isEqualTo(
            "(project = A OR project = B) AND updated >= 1770710400123 ORDER BY updated ASC");
    assertThat(query.text(null)).isEqualTo("(project = A OR project = B) ORDER BY updated ASC");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          project = A ORDER BY created DESC             | project = A
          project = A order   by rank, key              | project = A
          summary ~ "order by me" ORDER BY key          | summary ~ "order by me"
          summary ~ 'it\\'s (order by' and project = A  | summary ~ 'it\\'s (order by' and project = A
          summary ~ "a \\" order by b"                  | summary ~ "a \\" order by b"
          reorder_by = 1                                | reorder_by = 1
          cf[10001] = "a [" ORDER BY key                | cf[10001] = "a ["
          (project = A)ORDER BY key                     | (project = A)
          """)
  void anOrderByIsDroppedExceptInsideQuotes(String configured, String condition) {
    assertThat(Jql.of(configured).condition()).isEqualTo(condition);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "ORDER BY key",
        "project = A) OR (project = B",
        "(project = A",
        "summary ~ \"open",
        "summary ~ 'open\\'"
      })
  void whatNothingCanBeAddedToIsRefused(String configured) {
    assertThatThrownBy(() -> Jql.of(configured))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("query: it has ");
  }
}
