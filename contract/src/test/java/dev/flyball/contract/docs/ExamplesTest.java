package dev.flyball.contract.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * examples/README.md says what is in examples/work-items.jsonl; other tests and the black-box pass
 * rely on its numbers.
 */
@DisplayName("The example backlog is what examples/README.md says (issue 2, deliverable 8)")
final class ExamplesTest {
  private static final Set<String> FIELDS =
      Set.of(
          "id",
          "title",
          "description",
          "type",
          "state",
          "priority",
          "tags",
          "url",
          "revision",
          "changedAt",
          "changedBy",
          "tenant",
          "source");

  private List<String> lines = List.of();
  private String page = "";

  @BeforeEach
  void read() throws IOException {
    lines = Files.readAllLines(RepositoryRoot.find().resolve("examples/work-items.jsonl"));
    page = Files.readString(RepositoryRoot.find().resolve("examples/README.md"));
  }

  @Test
  void countsAreThoseOfThePage() {
    Map<String, String> newest = new HashMap<>();
    Set<String> seenLines = new HashSet<>();
    int snapshots = 0;
    int edits = 0;
    int duplicates = 0;
    for (String line : lines) {
      String before = newest.put(key(line), content(line));
      if (!seenLines.add(line)) {
        duplicates++;
      } else if (before != null && before.equals(content(line))) {
        edits++;
      } else if (before != null) {
        snapshots++;
      }
    }
    assertThat(newest).hasSize(count("distinct items"));
    assertThat(lines).hasSize(count("lines"));
    assertThat(snapshots).isEqualTo(count("earlier snapshots"));
    assertThat(edits).isEqualTo(count("no-op edits"));
    assertThat(duplicates).isEqualTo(count("exact duplicate lines"));
    assertThat(count("invalid lines")).isZero();
  }

  @Test
  void everyLineHasAnIdATitleAndNoUnknownField() {
    assertThat(lines)
        .allSatisfy(line -> {
          JsonNode item = RecordJson.parse(line);
          assertThat(item.path("title").asText()).isNotBlank();
          assertThat(ItemKey.parse(key(line)).id()).matches("\\d{7}");
          assertThat(FIELDS).containsAll(List.copyOf(names(item)));
        });
  }

  private int count(String what) {
    Matcher row = Pattern.compile("(?m)^\\| " + what + "[^|]*\\| (\\d+) \\|$").matcher(page);
    assertThat(row.find()).as("row '%s' in examples/README.md", what).isTrue();
    return Integer.parseInt(row.group(1));
  }

  private static String key(String line) {
    JsonNode item = RecordJson.parse(line);
    return item.path("tenant").asText("default")
        + "/"
        + item.path("source").asText("items")
        + "/"
        + item.path("id").asText();
  }

  private static String content(String line) {
    return ((ObjectNode) RecordJson.parse(line))
        .remove(List.of("revision", "changedAt", "changedBy"))
        .toString();
  }

  private static Set<String> names(JsonNode item) {
    Set<String> names = new HashSet<>();
    item.fieldNames().forEachRemaining(names::add);
    return names;
  }
}
