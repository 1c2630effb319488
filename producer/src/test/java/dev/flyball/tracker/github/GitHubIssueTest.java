package dev.flyball.tracker.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.OtherShapes;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.paging.ChangedEntry;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Uses the examples of docs.github.com, shortened and completed by us; nothing was recorded. */
class GitHubIssueTest {
  private static final SourceConfig SOURCE =
      TestSources.gitHub(URI.create("https://api.github.com"), new Credential.None());

  private final JsonNode list =
      RecordJson.parse(TestSources.resource("/trackers/github-issues.json"));

  @Test
  void anIssueIsReadAsAnItem() {
    RawItem item = item(list.get(0));

    assertThat(item.key()).hasToString("acme/github-main/1347");
    assertThat(item.title()).isEqualTo("Found a bug");
    assertThat(item.description()).isEqualTo("I'm having a problem with this.");
    assertThat(item.markup()).isEqualTo(Markup.MARKDOWN);
    assertThat(item.type()).isEqualTo("Bug");
    assertThat(item.state()).isEqualTo("open");
    assertThat(item.closed()).isFalse();
    assertThat(item.assigned()).isTrue();
    assertThat(item.tags()).containsExactly("bug", "P1");
    assertThat(item.priority()).isEqualTo(1);
    assertThat(item.url()).isEqualTo("https://github.com/octocat/Hello-World/issues/1347");
    assertThat(item.revision()).isEqualTo("2011-04-22T13:33:48Z");
    assertThat(item.changedAt()).isEqualTo(Instant.parse("2011-04-22T13:33:48Z"));
    assertThat(item.changedBy()).isNull();
  }

  @Test
  void whatAnIssueLacksHasADefault() {
    RawItem item = item(list.get(2));

    assertThat(item.description()).isEmpty();
    assertThat(item.type()).isEqualTo("Issue");
    assertThat(item.closed()).isTrue();
    assertThat(item.assigned()).isFalse();
    assertThat(item.tags()).containsExactly("docs");
    assertThat(item.priority()).isEqualTo(3);
  }

  @Test
  void whatIsNeitherALabelNorAPersonIsSkipped() {
    ObjectNode json = list.get(0).deepCopy();
    json.putArray("labels").addNull().add(3).add("docs").addArray();
    json.putArray("assignees").addNull().add(3).addObject().put("login", "ann");
    json.putNull("assignee");

    assertThat(item(json).tags()).containsExactly("docs");
    assertThat(item(json).assignees()).containsExactly("ann");
  }

  @Test
  void aValueOfAnotherShapeSpoilsAtMostItsEntry() {
    assertThat(OtherShapes.of(list.get(0)))
        .hasSizeGreaterThan(100)
        .allSatisfy(json -> assertThat(read(json).content()).isNotNull());
  }

  @Test
  void aPullRequestIsRecognized() {
    assertThat(list)
        .extracting(json -> read(json).content() instanceof ChangedEntry.Other)
        .containsExactly(false, true, false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"title":"x","updated_at":"2011-04-22T13:33:48Z"}            | no id
          {"number":1,"updated_at":"2011-04-22T13:33:48Z"}             | no title
          {"number":1,"title":"x","updated_at":"yesterday"}            | when it was changed
          7                                                            | no id
          """)
  void whatIsNoIssueIsRefused(String json, String reason) {
    assertThat(read(RecordJson.parse(json)).content())
        .isInstanceOfSatisfying(
            ChangedEntry.Unreadable.class,
            unreadable -> assertThat(unreadable.reason()).contains(reason));
  }

  @ParameterizedTest
  @CsvSource({
    "P1, 1",
    "p4, 4",
    "P0, 0",
    "priority: 2, 2",
    "priority/p1, 1",
    "Priority-High, 2",
    "prio: critical, 1",
    "priority: blocker, 1",
    "priority:low, 4",
    "priority: whatever, 3",
    "p9, 3",
    "help wanted, 3",
    "php, 3",
    "p100, 3",
  })
  void aLabelMayNameThePriority(String label, int priority) {
    assertThat(PriorityNames.ofLabels(List.of("bug", label))).isEqualTo(priority);
  }

  @Test
  void theMostUrgentLabelCounts() {
    assertThat(PriorityNames.ofLabels(List.of("P3", "priority: 1", "P2"))).isEqualTo(1);
  }

  private static ChangedEntry read(JsonNode json) {
    return GitHubIssue.read(json, SOURCE, "");
  }

  @Test
  void anIssueWhoseServerWritesAbsentFieldsAsNullIsAnIssue() {
    ObjectNode issue = list.get(0).deepCopy();
    issue.putNull("pull_request");
    issue.putObject("type");

    assertThat(item(issue).type()).isEqualTo("Issue");
  }

  @Test
  void aFieldThatIsNotReadMakesNoOtherDeadLetter() {
    ObjectNode issue = list.get(0).deepCopy();
    issue.putNull("title");
    ChangedEntry before = read(issue);
    issue.put("author_association", "OWNER");

    assertThat(before.content()).isInstanceOf(ChangedEntry.Unreadable.class);
    assertThat(read(issue)).isEqualTo(before);
  }

  private static RawItem item(JsonNode json) {
    return ((ChangedEntry.Item) read(json).content()).item();
  }
}
