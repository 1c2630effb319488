package dev.flyball.contract.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Schemas come from the code; {@code -Ddocs=write} writes them again. */
@DisplayName("Schemas, topics page and AsyncAPI document are those of the code")
final class DocsAreCurrentTest {
  private static final Path ROOT = RepositoryRoot.find();
  private static final Path SCHEMAS = ROOT.resolve("contract/src/main/resources/schema");
  private static final boolean WRITE = "write".equals(System.getProperty("docs"));

  private static final Pattern SCHEMA = Pattern.compile("\\$ref: schema/(\\S+)");

  /** The first cells of the page's tables. */
  private static final Pattern TOPIC = Pattern.compile("(?m)^\\| `(flyball[.-][a-z-]+)` \\|");

  private static final Pattern EVENT =
      Pattern.compile("(?m)^\\| `((?:session|item|command|poll|breaker|gate|budget)\\.\\w+)` \\|");

  static Stream<String> schemas() {
    return Stream.concat(TopicFacts.RECORDS.keySet().stream(), Stream.of(TopicFacts.EVENTS))
        .sorted();
  }

  @ParameterizedTest
  @MethodSource("schemas")
  void schemaIsThatOfItsRecord(String schema) throws IOException {
    Class<?> type = TopicFacts.RECORDS.get(schema);
    ObjectNode expected =
        type == null ? new RecordSchemas().ofEvents(schema) : new RecordSchemas().of(schema, type);
    assertCurrent(SCHEMAS.resolve(TopicFacts.file(schema)), pretty(expected));
  }

  @Test
  void everyTopicsSchemaExists() {
    Set<String> needed =
        Topics.DEFAULT.specs().stream()
            .map(TopicSpec::schema)
            .collect(Collectors.toCollection(TreeSet::new));
    needed.removeAll(schemas().toList());
    assertThat(needed)
        .as("topics whose schema nobody describes: add their record to TopicFacts")
        .isEmpty();
  }

  @Test
  void everyTopicIsOnThePage() {
    assertThat(TopicFacts.all())
        .extracting(TopicFacts::spec)
        .containsAll(Topics.DEFAULT.specs())
        .hasSize(Topics.DEFAULT.specs().size() + 1);
  }

  @Test
  void thePageNamesEveryTopicAndEvent() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/topics.md"));
    assertThat(TopicFacts.all()).allMatch(topic -> page.contains(topic.spec().name()));
    assertThat(EventType.values()).allMatch(event -> page.contains("`" + shown(event) + "`"));
    assertThat(TOPIC.matcher(page).results().map(found -> found.group(1)))
        .isSubsetOf(TopicFacts.all().stream().map(topic -> topic.spec().name()).toList());
    assertThat(EVENT.matcher(page).results().map(found -> found.group(1)))
        .isSubsetOf(Arrays.stream(EventType.values()).map(DocsAreCurrentTest::shown).toList());
  }

  /** Written where {@code -Dreference=FOLDER} names a folder, as ops/release/reference does. */
  @Test
  void theAsyncApiDocumentNamesEveryTopicAndSchemasThatExist() throws IOException {
    String document = AsyncApiPage.text();
    assertThat(TopicFacts.all())
        .allMatch(topic -> document.contains("address: " + topic.spec().name() + "\n"));
    assertThat(SCHEMA.matcher(document).results().map(found -> found.group(1)))
        .isNotEmpty()
        .allMatch(schema -> Files.exists(SCHEMAS.resolve(schema)));
    String folder = System.getProperty("reference");
    if (folder != null) {
      Files.writeString(Path.of(folder, "asyncapi.yaml"), document);
    }
  }

  /** {@code session.spawned} of {@code flyball.session.spawned.v1}. */
  private static String shown(EventType event) {
    return event.type().replaceAll("^flyball\\.|\\.v1$", "");
  }

  private static void assertCurrent(Path file, String expected) throws IOException {
    if (WRITE) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    String there = Files.exists(file) ? Files.readString(file) : "";
    assertThat(there)
        .as(
            "%s is stale: ./mvnw -pl contract test -Dtest=DocsAreCurrentTest -Ddocs=write, then"
                + " read the difference: what readers of the topic see has changed",
            ROOT.relativize(file))
        .isEqualTo(expected);
  }

  private static String pretty(ObjectNode node) throws IOException {
    return new ObjectMapper()
            .writerWithDefaultPrettyPrinter()
            .writeValueAsString(node)
            .replace(System.lineSeparator(), "\n")
        + "\n";
  }
}
