package dev.flyball.contract.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What each released version wrote, a folder for each. Topics hold records of every version that
 * ran, so every version after it has to read them. ops/release/golden adds the folder of a version;
 * none is ever edited.
 */
@DisplayName("Records of every released version are read with their values")
final class ReleasedRecordsTest {
  private static final Path RELEASED =
      RepositoryRoot.find().resolve("contract/src/test/resources/released");

  private static final String SUMS = "SHA256SUMS";

  static Stream<Path> records() throws IOException {
    return versions().stream()
        .flatMap(version -> files(version).stream())
        .filter(file -> file.toString().endsWith(".json"));
  }

  static List<Path> versions() throws IOException {
    try (Stream<Path> all = Files.list(RELEASED)) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("records")
  void aRecordIsReadAndNoneOfItsValuesIsLost(Path file) throws IOException {
    JsonNode recorded = RecordJson.parse(Files.readString(file));
    Class<?> type = TopicFacts.RECORDS.getOrDefault(schemaOf(file), EventData.class);

    Object read = RecordJson.read(Files.readString(file), type);

    // Today's code may add fields; what the version wrote has to come back as it was.
    assertThat(lost(recorded, RecordJson.parse(RecordJson.write(read)), "")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("versions")
  void noFileOfAVersionWasEditedAddedOrRemoved(Path version) throws IOException {
    Map<String, String> now = new TreeMap<>();
    for (Path file : files(version)) {
      now.put(version.relativize(file).toString(), sum(file));
    }
    Map<String, String> then =
        Files.readAllLines(version.resolve(SUMS)).stream()
            .map(line -> line.split(" {2}", 2))
            .collect(Collectors.toMap(parts -> parts[1], parts -> parts[0]));
    assertThat(now)
        .as("released records are never edited; a new form of a record needs a new schema version")
        .isEqualTo(then);
  }

  @ParameterizedTest
  @MethodSource("versions")
  void aVersionHasRecordsOfEveryTopicAndALedger(Path version) throws IOException {
    List<String> names =
        files(version).stream().map(file -> version.relativize(file).toString()).toList();
    assertThat(names).contains("ledger.jsonl");
    assertThat(names.stream().map(name -> name.replaceFirst("/[^/]*$", "")).distinct())
        .hasSizeGreaterThanOrEqualTo(TopicFacts.RECORDS.size());
  }

  @Test
  void aVersionThatIsReleasedHasItsFolder() throws IOException {
    String pom = Files.readString(RepositoryRoot.find().resolve("pom.xml"));
    String version = pom.replaceFirst("(?s).*?<version>([^<]*)<.*", "$1");
    if (!version.endsWith("-SNAPSHOT")) {
      assertThat(RELEASED.resolve(version)).as("run ops/release/golden").isDirectory();
    }
  }

  @Test
  void aValueThatIsLostWouldBeSeen() {
    JsonNode recorded = RecordJson.parse("{\"a\":1,\"b\":{\"c\":[1,2]}}");
    assertThat(lost(recorded, RecordJson.parse("{\"a\":1,\"b\":{\"c\":[1,2],\"d\":3}}"), ""))
        .isEmpty();
    assertThat(lost(recorded, RecordJson.parse("{\"a\":2,\"b\":{\"c\":[1]}}"), ""))
        .containsExactly("/a: 1 is 2", "/b/c: [1,2] is [1]");
  }

  /** The places of the first tree whose values the second one does not have. */
  private static List<String> lost(JsonNode recorded, JsonNode now, String place) {
    if (!recorded.isObject()) {
      return recorded.equals(now) ? List.of() : List.of(place + ": " + recorded + " is " + now);
    }
    var all = new ArrayList<String>();
    recorded
        .properties()
        .forEach(each ->
            all.addAll(
                lost(each.getValue(), now.path(each.getKey()), place + "/" + each.getKey())));
    return all;
  }

  private static List<Path> files(Path version) {
    try (Stream<Path> all = Files.walk(version)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.endsWith(SUMS))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Folders are named by version of the program, version of the schema, and schema. */
  private static String schemaOf(Path file) {
    int names = file.getNameCount();
    return file.getName(names - 2) + "/" + file.getName(names - 3);
  }

  private static String sum(Path file) throws IOException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
