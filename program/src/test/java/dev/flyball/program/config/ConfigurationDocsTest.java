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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rewrites the page and the schema with {@code -Ddocs=write}. */
final class ConfigurationDocsTest {
  private static final Path PAGE = Path.of("../docs/configuration.md");
  private static final Path SCHEMA = Path.of("../docs/flyball.schema.json");

  private final Schema schema =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
          .getSchema(ConfigurationSchema.json());

  @Test
  void thePageOfTheConfigurationIsCurrent() throws IOException {
    isCurrent(PAGE, ConfigurationDocs.markdown());
  }

  @Test
  void theSchemaOfTheConfigurationIsCurrent() throws IOException {
    isCurrent(SCHEMA, ConfigurationSchema.json());
  }

  @Test
  void theSchemaAcceptsTheExampleWithEverythingUncommented() throws IOException {
    String all =
        Files.readString(Path.of("../examples/flyball.yaml"))
            .replaceAll("(?m)^#(  +[-a-z].*)$", "$1");

    assertThat(schema.validate(all, InputFormat.YAML)).isEmpty();
    assertThat(schema.validate(FirstFile.yaml(FirstFile.usual()), InputFormat.YAML)).isEmpty();
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

  private static void isCurrent(Path file, String content) throws IOException {
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(file, content);
    }
    assertThat(Files.readString(file)).isEqualTo(content);
  }
}
