package dev.flyball.tracker.azure;

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
import java.net.URI;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One item of an answer; we wrote its shape from the documentation. */
class AzureItemTest {
  private static final URI PROJECT = URI.create("https://dev.azure.com/org/Product");
  private static final AzurePlace PLACE = AzurePlace.of(PROJECT);
  private static final SourceConfig SOURCE =
      TestSources.azure(
          PROJECT.toString(), "SELECT [System.Id] FROM WorkItems", new Credential.None());

  private static final String ITEM =
      """
      {"id": 9493709, "rev": 7, "fields": {
        "System.Id": 9493709, "System.Rev": 7, "System.TeamProject": "Product",
        "System.Title": "Search finds nothing", "System.State": "Active",
        "System.WorkItemType": "Bug", "System.ChangedDate": "2026-02-10T08:30:00.77Z",
        "System.ChangedBy": {"displayName": "Ada L", "uniqueName": "ada@example.com", "id": "x"},
        "System.AssignedTo": {"displayName": "Bob"},
        "System.Tags": "search; ui ;; backend", "Microsoft.VSTS.Common.Priority": 2,
        "System.Description": "<div>It finds nothing.</div>",
        "Microsoft.VSTS.TCM.ReproSteps": "<ol><li>Search</li></ol>",
        "Microsoft.VSTS.Common.AcceptanceCriteria": ""},
       "url": "https://dev.azure.com/org/_apis/wit/workItems/9493709"}
      """;

  // S0-61
  @Test
  void everyFieldHasItsPlace() {
    RawItem item = read(item());

    assertThat(item.key()).hasToString("acme/ado/9493709");
    assertThat(item.title()).isEqualTo("Search finds nothing");
    assertThat(item.state()).isEqualTo("Active");
    assertThat(item.type()).isEqualTo("Bug");
    assertThat(item.priority()).isEqualTo(2);
    assertThat(item.tags()).containsExactly("search", "ui", "backend");
    assertThat(item.revision()).isEqualTo("7");
    assertThat(item.changedAt()).isEqualTo(Instant.parse("2026-02-10T08:30:00.770Z"));
    assertThat(item.changedBy()).isEqualTo("ada@example.com");
    assertThat(item.assigned()).isTrue();
    assertThat(item.closed()).as("only the state's word tells").isFalse();
    assertThat(item.url()).isEqualTo("https://dev.azure.com/org/Product/_workitems/edit/9493709");
    assertThat(item.markup()).isEqualTo(Markup.HTML);
  }

  @Test
  void itsTextsAreOneWithHeadings() {
    assertThat(read(item()).description())
        .isEqualTo("<div>It finds nothing.</div>\n<h2>Repro steps</h2>\n<ol><li>Search</li></ol>");
  }

  @Test
  void olderServersWriteAPersonAsText() {
    ObjectNode item = item();
    item.withObject("/fields").put("System.ChangedBy", "Ada L <ada@example.com>");

    assertThat(read(item).changedBy()).isEqualTo("Ada L <ada@example.com>");
  }

  @Test
  void whatIsNotStatedHasItsDefault() {
    ObjectNode item = item();
    item.withObject("/fields")
        .remove(
            java.util.List.of(
                "Microsoft.VSTS.Common.Priority",
                "System.Tags",
                "System.Description",
                "Microsoft.VSTS.TCM.ReproSteps",
                "System.AssignedTo",
                "System.ChangedBy"));

    RawItem read = read(item);

    assertThat(read.priority()).isEqualTo(3);
    assertThat(read.tags()).isEmpty();
    assertThat(read.description()).isEmpty();
    assertThat(read.changedBy()).isNull();
    assertThat(read.assigned()).isFalse();
  }

  @Test
  void aValueOfAnotherShapeSpoilsAtMostItsEntry() {
    assertThat(OtherShapes.of(item()))
        .hasSizeGreaterThan(100)
        .allSatisfy(json -> assertThat(AzureItem.read(json, SOURCE, PLACE).content()).isNotNull());
  }

  @Test
  void eachTextIsReadByItsOwnFormat() {
    ObjectNode item = item();
    item.withObject("/fields").put("System.Description", "Use `<T>` <b>here</b>");
    item.putObject("multilineFieldsFormat").put("System.Description", "markdown");

    assertThat(read(item).markup()).isEqualTo(Markup.NONE);
    assertThat(read(item).description()).isEqualTo("Use `<T>` here\n\n## Repro steps\n1. Search");
  }

  @ParameterizedTest
  @CsvSource({"System.Title, no title", "System.ChangedDate, when it was changed"})
  void withoutTitleOrDateItIsNoItem(String field, String reason) {
    ObjectNode item = item();
    item.withObject("/fields").remove(field);

    assertThat(reason(item)).contains(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "3", "{\"id\":\"x\"}", "{\"id\":-1}", "{\"id\":1.5e300}"})
  void somethingElseIsNoItem(String json) {
    assertThat(reason(RecordJson.parse(json))).contains("no id");
  }

  private static ObjectNode item() {
    return (ObjectNode) RecordJson.parse(ITEM);
  }

  private static RawItem read(ObjectNode item) {
    return ((ChangedEntry.Item) AzureItem.read(item, SOURCE, PLACE).content()).item();
  }

  private static String reason(JsonNode item) {
    ChangedEntry entry = AzureItem.read(item, SOURCE, PLACE);
    return ((ChangedEntry.Unreadable) entry.content()).reason();
  }
}
