package dev.flyball.tracker.jira;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.OtherShapes;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.text.AdfText;
import java.net.URI;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Uses the examples of developer.atlassian.com, shortened and completed by us; nothing was
 * recorded.
 */
class JiraIssueTest {
  private static final URI SITE = URI.create("https://your-domain.atlassian.net");

  private static final SourceConfig SOURCE = TestSources.jira(SITE, null, new Credential.None());

  private final JsonNode issues =
      RecordJson.parse(TestSources.resource("/trackers/jira-search.json")).path("issues");

  @Test
  void anIssueIsReadAsAnItem() {
    RawItem item = item(JiraIssue.read(issues.get(0), SOURCE, SITE));

    assertThat(item.key()).hasToString("acme/jira/ED-1");
    assertThat(item.title()).isEqualTo("Main order flow broken");
    assertThat(item.markup()).isEqualTo(Markup.ADF);
    assertThat(AdfText.of(item.description())).isEqualTo("Main order flow broken");
    assertThat(item.type()).isEqualTo("Bug");
    assertThat(item.state()).isEqualTo("In Progress");
    assertThat(item.closed()).isFalse();
    assertThat(item.assigned()).isTrue();
    assertThat(item.tags()).containsExactly("checkout", "p1");
    assertThat(item.priority()).isEqualTo(2);
    assertThat(item.url()).isEqualTo("https://your-domain.atlassian.net/browse/ED-1");
    assertThat(item.changedAt()).isEqualTo(Instant.parse("2026-02-10T08:00:00.123Z"));
    assertThat(item.revision()).isEqualTo("2026-02-10T08:00:00.123Z");
  }

  @Test
  void whatIsNoLabelIsSkipped() {
    ObjectNode json = issues.get(0).deepCopy();
    json.withObject("/fields").putArray("labels").addNull().addObject();
    json.withArray("/fields/labels").add("checkout");

    assertThat(item(JiraIssue.read(json, SOURCE, SITE)).tags()).containsExactly("checkout");
  }

  @Test
  void aValueOfAnotherShapeSpoilsAtMostItsEntry() {
    assertThat(OtherShapes.of(issues.get(0)))
        .hasSizeGreaterThan(100)
        .allSatisfy(json -> assertThat(JiraIssue.read(json, SOURCE, SITE).content()).isNotNull());
  }

  @Test
  void theCategoryOfAStatusDecidesWhetherItIsClosed() {
    RawItem item = item(JiraIssue.read(issues.get(1), SOURCE, null));

    assertThat(item.state()).isEqualTo("Shipped");
    assertThat(item.closed()).isTrue();
    assertThat(item.assigned()).isFalse();
    assertThat(item.description()).isEmpty();
    assertThat(item.priority()).isEqualTo(3);
    assertThat(item.url()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "2026-02-10T09:00:00.123+0100, 2026-02-10T08:00:00.123Z",
    "2026-02-10T08:00:00.000+0000, 2026-02-10T08:00:00Z",
    "2026-02-10T08:00:00.000+00:00, 2026-02-10T08:00:00Z",
    "2026-02-10T08:00:00Z, 2026-02-10T08:00:00Z",
    "2026-02-10T08:00:00, 1970-01-01T00:00:00Z",
    "yesterday, 1970-01-01T00:00:00Z",
  })
  void timesAreReadAsJiraWritesThem(String updated, String instant) {
    JsonNode json = RecordJson.parse("{\"fields\":{\"updated\":\"%s\"}}".formatted(updated));

    assertThat(JiraIssue.read(json, SOURCE, null).changedAt()).isEqualTo(Instant.parse(instant));
  }

  @ParameterizedTest
  @CsvSource({
    "Highest, 1, 1",
    "Lowest, 5, 5",
    "Blocker, 10000, 1",
    "Hoch, 2, 2",
    "Whenever, 10001, 3",
    "P4, 10002, 4",
    "P0, 10003, 0",
    "Urgent, 10004, 1",
  })
  void aPriorityIsReadByItsNameOrElseItsNumber(String name, String id, int priority) {
    assertThat(JiraIssue.priority(name, id)).isEqualTo(priority);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"id":"1","fields":{"summary":"x","updated":"2026-02-10T08:00:00.000+0000"}} | no id
          {"key":"A-1","fields":{"updated":"2026-02-10T08:00:00.000+0000"}}            | no title
          {"key":"A-1","fields":{"summary":"x"}}                                       | when it was changed
          """)
  void whatIsNoIssueIsRefused(String json, String reason) {
    assertThat(JiraIssue.read(RecordJson.parse(json), SOURCE, null).content())
        .isInstanceOfSatisfying(
            ChangedEntry.Unreadable.class,
            unreadable -> assertThat(unreadable.reason()).contains(reason));
  }

  private static RawItem item(ChangedEntry entry) {
    return ((ChangedEntry.Item) entry.content()).item();
  }
}
