package dev.flyball.tracker.redmine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedmineQueryTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00.75Z");

  @Test
  void asksForOpenAndClosedIssuesTheOldestChangeFirst() {
    assertThat(new RedmineQuery(null, "").page(null, 0, 100))
        .isEqualTo("/issues.json?status_id=*&sort=updated_on%3Aasc%2Cid%3Aasc&limit=100");
  }

  @Test
  void itsMarkStaysAsCursorsInPollStateHaveIt() {
    assertThat(new RedmineQuery("flyball", "tracker_id=1").mark())
        .isEqualTo(
            "/issues.json?status_id=*&project_id=flyball&tracker_id=1&sort=id%3Aasc&limit=100");
  }

  @Test
  void asksForWhatChangedAfterAWholeSecondAndForThePageAfterOthers() {
    assertThat(new RedmineQuery("flyball", "").page(NOON, 100, 100))
        .isEqualTo(
            "/issues.json?status_id=*&project_id=flyball&updated_on=%3E%3D2026-11-22T12%3A00%3A01Z"
                + "&sort=updated_on%3Aasc%2Cid%3Aasc&limit=100&offset=100");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tracker_id=1|2&subject=~a b", "tracker_id=1%7C2&subject=%7Ea+b"})
  void takesFiltersEncodedOrNot(String query) {
    assertThat(new RedmineQuery(null, query).page(null, 0, 100))
        .contains("&tracker_id=1%7C2&subject=%7Ea+b&");
  }

  @Test
  void aFilterByStatusReplacesOurs() {
    assertThat(new RedmineQuery(null, "status_id=open").page(null, 0, 100))
        .contains("status_id=open")
        .doesNotContain("status_id=*");
  }

  @ParameterizedTest
  @ValueSource(strings = {"query_id=7", "sort=id", "key=secret", "f[]=x", "limit=5"})
  void refusesWhatWouldReplaceItsOwn(String query) {
    assertThatThrownBy(() -> new RedmineQuery(null, query))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(query.substring(0, query.indexOf('=')))
        .hasMessageNotContaining("secret");
  }

  @Test
  void refusesWhatIsNoFilter() {
    assertThatThrownBy(() -> new RedmineQuery(null, "open bugs"))
        .hasMessageContaining("name=value");
  }

  @Test
  void asksForIssuesByIdWhateverTheFiltersSay() {
    assertThat(RedmineQuery.byId(List.of(3L, 5L)))
        .isEqualTo("/issues.json?status_id=*&issue_id=3%2C5&sort=id%3Aasc&limit=100");
  }
}
