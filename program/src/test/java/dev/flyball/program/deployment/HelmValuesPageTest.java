package dev.flyball.program.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The table of docs/kubernetes.md; {@code -Ddocs=write} writes it again. */
final class HelmValuesPageTest {
  private static final Path PAGE = Path.of("../docs/kubernetes.md");
  private static final String BEGIN = "<!-- values: generated from values.schema.json -->\n";
  private static final String END = "<!-- end of values -->\n";

  @Test
  void thePageListsEveryValueWithItsDefault() throws IOException {
    JsonNode schema =
        RecordJson.parse(Files.readString(HelmChart.FOLDER.resolve("values.schema.json")));
    Object values = new Yaml().load(Files.readString(HelmChart.FOLDER.resolve("values.yaml")));
    var rows = new ArrayList<>(List.of("| value | default | meaning |", "|---|---|---|"));
    add(rows, "", schema, new ObjectMapper().valueToTree(values));
    String table = String.join("\n", rows) + "\n";

    String page = Files.readString(PAGE);
    String current =
        page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
            + table
            + page.substring(page.indexOf(END));
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, current);
    }
    assertThat(Files.readString(PAGE))
        .as("stale; write it again: -pl program test -Dtest=HelmValuesPageTest -Ddocs=write")
        .isEqualTo(current);
    assertThat(rows).as("a value without a description").noneMatch(row -> row.endsWith("|  |"));
  }

  /** Objects with known keys become rows of their keys; the rest are rows themselves. */
  private static void add(List<String> rows, String name, JsonNode schema, JsonNode value) {
    if (!schema.path("additionalProperties").asBoolean(true) && !name.endsWith("resources")) {
      schema
          .path("properties")
          .properties()
          .forEach(each -> {
            String path = name.isEmpty() ? each.getKey() : name + "." + each.getKey();
            if (!path.equals("global")) {
              add(rows, path, each.getValue(), value.path(each.getKey()));
            }
          });
    } else {
      assertThat(value.isMissingNode()).as("values.yaml has no " + name).isFalse();
      String shown = value.isTextual() ? value.asText() : value.toString();
      String allowed = schema.has("enum") ? " One of " + schema.path("enum") + "." : "";
      rows.add(
          "| `%s` | %s | %s.%s |"
              .formatted(
                  name,
                  shown.isEmpty() ? "" : "`" + shown + "`",
                  schema.path("description").asText(),
                  allowed.replace("\"", "`").replace("[", "").replace("]", "").replace(",", ", ")));
    }
  }
}
