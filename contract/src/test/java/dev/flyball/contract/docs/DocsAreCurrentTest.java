package dev.flyball.contract.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Schemas and pages come from the code; {@code -Ddocs=write} writes them anew. */
@DisplayName("Schemas, topics page and AsyncAPI document are those of the code (design section 2)")
final class DocsAreCurrentTest {
  private static final Path ROOT = RepositoryRoot.find();
  private static final Path SCHEMAS = ROOT.resolve("contract/src/main/resources/schema");
  private static final boolean WRITE = "write".equals(System.getProperty("docs"));

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
  void topicsPageIsThatOfTheCatalogue() throws IOException {
    assertCurrent(ROOT.resolve("docs/topics.md"), TopicsPage.text());
  }

  @Test
  void asyncApiDocumentIsThatOfTheTopics() throws IOException {
    assertCurrent(ROOT.resolve("docs/asyncapi.yaml"), AsyncApiPage.text());
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
