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
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The schemas and the AsyncAPI document come from the code. They are written where {@code
 * -Dreference=FOLDER} names a folder, as ops/release/reference does.
 */
@DisplayName("Records of every topic: examples, schemas, topics page and AsyncAPI document")
final class RecordsTest {
  private static final Path ROOT = RepositoryRoot.find();
  private static final Path EXAMPLES = ROOT.resolve("contract/src/test/resources/golden/1");

  private static final Pattern SCHEMA = Pattern.compile("\"\\$ref\" : \"schema/([^\"]+)\"");

  /** The first cells of the page's tables. */
  private static final Pattern TOPIC = Pattern.compile("(?m)^\\| `(flyball[.-][a-z-]+)` \\|");

  private static final Pattern EVENT =
      Pattern.compile("(?m)^\\| `((?:session|item|command|poll|breaker|gate|budget)\\.\\w+)` \\|");

  static Stream<Path> examples() throws IOException {
    try (Stream<Path> all = Files.walk(EXAMPLES)) {
      return all.filter(file -> file.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleIsReadAndWrittenBackTheSame(Path file) throws IOException {
    Class<?> type = TopicFacts.RECORDS.getOrDefault(schemaOf(file), EventData.class);
    Object read = RecordJson.read(Files.readString(file), type);
    assertThat(RecordJson.parse(RecordJson.write(read)))
        .isEqualTo(RecordJson.parse(Files.readString(file)));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleFitsItsSchemaOnlyWithEveryRequiredField(Path file) throws IOException {
    ObjectNode schema = schema(schemaOf(file));
    ObjectNode example = (ObjectNode) RecordJson.parse(Files.readString(file));
    assertThat(faults(schema, example)).isEmpty();
    for (JsonNode name : schema.path("required")) {
      assertThat(faults(schema, example.deepCopy().without(name.asText())))
          .as("without %s", name)
          .isNotEmpty();
    }
  }

  @Test
  void exampleEventsCarryWhatTheirTypeRequires() throws IOException {
    for (Path file : examples().filter(at -> schemaOf(at).equals(TopicFacts.EVENTS)).toList()) {
      String name = file.getFileName().toString().replace(".json", "");
      EventData data = RecordJson.read(Files.readString(file), EventData.class);
      EventType.ofType("flyball." + name + ".v1")
          .ifPresent(type -> assertThat(type.required()).as(name).allMatch(data::has));
    }
  }

  @Test
  void everyTopicHasASchemaAndEverySchemaAnExample() throws IOException {
    assertThat(schemas())
        .as("add the record of a topic to TopicFacts")
        .containsAll(Topics.DEFAULT.specs().stream().map(TopicSpec::schema).toList());
    assertThat(examples().map(RecordsTest::schemaOf).collect(Collectors.toSet()))
        .containsAll(schemas());
    String folder = System.getProperty("reference");
    if (folder != null) {
      for (String name : schemas()) {
        Files.writeString(
            Files.createDirectories(Path.of(folder, "schema")).resolve(TopicFacts.file(name)),
            schema(name).toPrettyString() + "\n");
      }
    }
  }

  @Test
  void thePageNamesEveryTopicAndEvent() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/topics.md"));
    List<String> topics = TopicFacts.all().stream().map(topic -> topic.spec().name()).toList();
    assertThat(topics)
        .containsAll(Topics.DEFAULT.specs().stream().map(TopicSpec::name).toList())
        .allMatch(page::contains);
    assertThat(EventType.values()).allMatch(event -> page.contains("`" + shown(event) + "`"));
    assertThat(TOPIC.matcher(page).results().map(found -> found.group(1))).isSubsetOf(topics);
    assertThat(EVENT.matcher(page).results().map(found -> found.group(1)))
        .isSubsetOf(Arrays.stream(EventType.values()).map(RecordsTest::shown).toList());
  }

  @Test
  void theAsyncApiDocumentNamesEveryTopicAndSchemasThatExist() throws IOException {
    String document = AsyncApiPage.text();
    assertThat(TopicFacts.all())
        .allMatch(topic -> document.contains("\"address\" : \"" + topic.spec().name() + "\""));
    assertThat(SCHEMA.matcher(document).results().map(found -> found.group(1)))
        .isNotEmpty()
        .isSubsetOf(schemas().stream().map(TopicFacts::file).toList());
    String folder = System.getProperty("reference");
    if (folder != null) {
      Files.writeString(Path.of(folder, "asyncapi.yaml"), document);
    }
  }

  private static Set<String> schemas() {
    var all = new TreeSet<>(TopicFacts.RECORDS.keySet());
    all.add(TopicFacts.EVENTS);
    return all;
  }

  private static ObjectNode schema(String name) {
    Class<?> type = TopicFacts.RECORDS.get(name);
    return type == null ? new RecordSchemas().ofEvents(name) : new RecordSchemas().of(name, type);
  }

  private static List<String> faults(ObjectNode schema, JsonNode record) {
    Schema known =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7).getSchema(schema);
    return known.validate(record).stream().map(Object::toString).toList();
  }

  /** Folders are named by version and schema: golden/1/work-item. */
  private static String schemaOf(Path file) {
    int names = file.getNameCount();
    return file.getName(names - 2) + "/" + file.getName(names - 3);
  }

  /** {@code session.spawned} of {@code flyball.session.spawned.v1}. */
  private static String shown(EventType event) {
    return event.type().replaceAll("^flyball\\.|\\.v1$", "");
  }
}
