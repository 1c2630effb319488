package dev.flyball.contract.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Records of every topic as they were written once. A change of the code that reads or writes one
 * of them differently is a change that other versions meet on the wire: then a new schema version
 * is due, not a new golden file.
 */
@DisplayName(
    "Golden files are read, written back the same, and fit their schema (design section 2)")
final class GoldenFilesTest {
  private static final Path ROOT = RepositoryRoot.find();
  private static final Path GOLDEN = ROOT.resolve("contract/src/test/resources/golden");

  static Stream<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(GOLDEN)) {
      return all.filter(file -> file.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void isReadAndWrittenBackTheSame(Path file) throws IOException {
    JsonNode golden = RecordJson.parse(Files.readString(file));
    Object read = RecordJson.read(Files.readString(file), typeOf(file));
    assertThat(RecordJson.parse(RecordJson.write(read))).isEqualTo(golden);
  }

  @ParameterizedTest
  @MethodSource("files")
  void fitsItsSchema(Path file) throws IOException {
    assertThat(faults(file, Files.readString(file))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("files")
  void doesNotFitItsSchemaWithoutARequiredField(Path file) throws IOException {
    JsonNode required = schemaNode(file).path("required");
    ObjectNode golden = (ObjectNode) RecordJson.parse(Files.readString(file));
    for (JsonNode name : required) {
      ObjectNode less = golden.deepCopy().without(name.asText());
      assertThat(faults(file, less.toString())).as("without %s", name).isNotEmpty();
    }
  }

  @Test
  void everySchemaHasGoldenFiles() throws IOException {
    Set<String> there = files().map(GoldenFilesTest::schemaOf).collect(Collectors.toSet());
    Set<String> needed = DocsAreCurrentTest.schemas().collect(Collectors.toSet());
    assertThat(there).containsAll(needed);
  }

  @Test
  void goldenEventsCarryWhatTheirTypeRequires() throws IOException {
    for (Path file : files().filter(path -> schemaOf(path).equals(TopicFacts.EVENTS)).toList()) {
      String name = file.getName(file.getNameCount() - 1).toString().replace(".json", "");
      EventData data = RecordJson.read(Files.readString(file), EventData.class);
      EventType.ofType("flyball." + name + ".v1")
          .ifPresent(type -> assertThat(type.required()).as(name).allMatch(data::has));
    }
  }

  private static List<String> faults(Path file, String json) throws IOException {
    Schema schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7).getSchema(schemaNode(file));
    return schema.validate(RecordJson.parse(json)).stream().map(Object::toString).toList();
  }

  private static JsonNode schemaNode(Path file) throws IOException {
    String name = TopicFacts.file(schemaOf(file));
    return RecordJson.parse(
        Files.readString(ROOT.resolve("contract/src/main/resources/schema").resolve(name)));
  }

  /** Folders are named by version and schema: golden/1/work-item. */
  private static String schemaOf(Path file) {
    int names = file.getNameCount();
    return file.getName(names - 2) + "/" + file.getName(names - 3);
  }

  private static Class<?> typeOf(Path file) {
    return TopicFacts.RECORDS.getOrDefault(schemaOf(file), EventData.class);
  }
}
