package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema that the release has for editors, and the page of the keys that matter. */
final class ConfigurationSchemaTest {
  /** A row of the first table: a key and its default. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([a-z][a-z.-]+)` \\| (?:`([^`]*)`)? ?\\| ");

  private final Schema schema =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
          .getSchema(ConfigurationSchema.json());

  @Test
  void thePageHasKeysThatExistWithTheirDefaults() {
    Map<String, String> known = new TreeMap<>();
    Keys.all().forEach(key -> known.put(key.name(), Objects.requireNonNullElse(key.initial(), "")));
    Map<String, String> page = new TreeMap<>();
    ROW.matcher(ConfigurationSchema.page().split("\n## Sources\n")[0])
        .results()
        .forEach(row -> page.put(row.group(1), Objects.requireNonNullElse(row.group(2), "")));

    assertThat(page).hasSizeGreaterThan(50);
    assertThat(known).containsAllEntriesOf(page);
  }

  /** Written where {@code -Dreference=FOLDER} names a folder, as ops/release/reference does. */
  @Test
  void theReleaseHasTheSchema() throws IOException {
    String folder = System.getProperty("reference");
    if (folder != null) {
      Files.writeString(Path.of(folder, "flyball.schema.json"), ConfigurationSchema.json());
    }
    assertThat(RecordJson.parse(ConfigurationSchema.json()).path("title").asText())
        .isEqualTo("flyball.yaml");
  }

  @Test
  void theExampleIsAcceptedAsItIsAndWithEverythingUncommented() throws IOException {
    Path example = Path.of("../examples/flyball.yaml");
    String all = Files.readString(example).replaceAll("(?m)^#(  +[-a-z].*)$", "$1");

    assertThat(sources(Files.readString(example), example)).hasSize(1);
    assertThat(sources(all, example))
        .extracting(it -> it.source().getClass().getSimpleName())
        .hasSameElementsAs(List.of("AzureDevOps", "GitHub", "Jira", "Jsonl", "Redmine"));
    assertThat(schema.validate(all, InputFormat.YAML)).isEmpty();
    assertThat(schema.validate(FirstFile.yaml(FirstFile.usual()), InputFormat.YAML)).isEmpty();
  }

  private static List<ConfiguredSource> sources(String yaml, Path file) {
    var apps = new AppConfigurations(ConfigurationLoader.of(yaml, file));
    apps.check();
    return apps.sources();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sessions: {wall-clock: 10m, processes.kill: 5, budget: {usd: 0.5}}",
        "sessions.wall-clock: 10m",
        "kafka.bootstrap.servers: h:1",
        "text: {limit: 300}\ngate: {load: 0.5}",
        "sessions.budget: {usd: 0.5}",
        "sources: [{name: a, type: jsonl, path: a, when.labels: [x], when: {mention: y}}]",
      })
  void theSchemaAcceptsNestedAndDottedNames(String yaml) {
    assertThat(schema.validate(yaml, InputFormat.YAML)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sesions: {wall-clock: 10m}",
        "sessions: {wall-clock: 10}",
        "cap: many",
        "sessions.wall-clock: 10",
        "sessions: {budget.usd: many}",
        "sources: [{name: a, type: jsonl, path: a, when.mentions: x}]",
        "triage: {on-newer: never}",
        "sources: [{name: a, type: github}]",
        "sources: [{name: a, type: jsonl, path: a, token: x}]",
      })
  void theSchemaRejectsWhatTheLoaderRejects(String yaml) {
    assertThat(schema.validate(yaml, InputFormat.YAML)).isNotEmpty();
  }

  @Test
  void theSchemaExplainsEveryKey() {
    assertThat(RecordJson.parse(ConfigurationSchema.json()).findValuesAsText("description"))
        .hasSizeGreaterThan(100)
        .noneMatch(description -> description.startsWith(" ("));
  }

  /** An editor offers the properties of an object, and patterns not. */
  @Test
  void theSchemaOffersNoKeyTwice() {
    assertThat(RecordJson.parse(ConfigurationSchema.json()).findValues("properties"))
        .allSatisfy(offered ->
            assertThat(offered.fieldNames()).toIterable().noneMatch(name -> name.contains(".")));
  }

  @Test
  void theFirstLineNamesTheSchemaOfTheInstallation(@TempDir Path home) throws IOException {
    Path target = home.resolve("team/flyball.yaml");
    assertThat(FirstFile.schemaLine(home, target)).isEmpty();

    Files.createDirectories(home.resolve("docs"));
    Files.writeString(home.resolve("docs/flyball.schema.json"), "{}");
    assertThat(FirstFile.schemaLine(home, target))
        .isEqualTo("# yaml-language-server: $schema=../docs/flyball.schema.json\n");
  }
}
