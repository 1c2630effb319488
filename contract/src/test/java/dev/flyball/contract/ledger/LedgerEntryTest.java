package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which records are entries. An entry with a missing or impossible field has no effect, and one
 * that broke the fold would stop every reader of the ledger, at each start again.
 */
@DisplayName("What is read as an entry of the ledger")
final class LedgerEntryTest {
  private static final List<String> VALUES =
      List.of(
          "null",
          "-1",
          "0",
          "2147483647",
          "-9223372036854775808",
          "9223372036854775807",
          "1e400",
          "\"\"",
          "\"x\"",
          "\"a/b/c/d\"",
          "\"provider:\"",
          "\"item:\"",
          "\"+1000000000-12-31T23:59:59Z\"",
          "\"-1000000000-01-01T00:00:00Z\"",
          "[]",
          "[null]",
          "{}",
          "true");

  static Stream<Class<?>> kinds() {
    return Arrays.stream(LedgerEntry.class.getPermittedSubclasses());
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anEntryWithFieldsOfALaterVersionIsRead(Class<?> kind) {
    String golden = golden(kind);
    String later = golden.strip().replaceFirst("\\{", "{\"laterField\":{\"x\":[1]},");

    assertThat(LedgerEntry.parse(later.getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(LedgerEntry.parse(golden.getBytes(StandardCharsets.UTF_8)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{}",
        "not json",
        "{\"entry\":\"teleport\",\"session\":\"s\"}",
        "{\"entry\":\"expire\",\"session\":\"s\",\"seen\":\"x\"}",
        "{\"entry\":\"spend\",\"tenant\":\"acme\",\"ref\":\"r\",\"costMicros\":-5,\"tokens\":0}",
        "{\"entry\":\"rules\",\"n\":2} {\"entry\":\"rules\",\"n\":3}",
      })
  void whatIsNoEntryIsNone(String text) {
    assertThat(LedgerEntry.parse(text.getBytes(StandardCharsets.UTF_8))).isEmpty();
  }

  @Test
  void aRecordWithoutValueIsNoEntry() {
    assertThat(LedgerEntry.parse(null)).isEmpty();
  }

  static Stream<String[]> required() {
    return Stream.of(
            "Init budgets",
            "Init budgets/0/scope",
            "Init budgets/0/limits",
            "Claim request requestAt item session runner",
            "Renew sessions sessions/0/session",
            "Release session outcome timings receipt",
            "Expire session",
            "Settled request",
            "Cap scope who why",
            "Pause scope who why",
            "Resume scope who why",
            "Budget scope limits who why",
            "Spend tenant ref",
            "Runner id level",
            "Checkpoint state")
        .map(line -> line.split(" "))
        .flatMap(
            words -> Arrays.stream(words).skip(1).map(field -> new String[] {words[0], field}));
  }

  @ParameterizedTest(name = "{0} without {1}")
  @MethodSource("required")
  void aRequiredFieldIsMissing(String kind, String field) {
    assertThat(changed(kind, field, parent -> parent.remove(last(field)))).isEmpty();
  }

  @ParameterizedTest(name = "{0} with {1} = {2}")
  @CsvSource({
    "Init, cap, -1",
    "Init, leaseMs, 0",
    "Init, budgets/0/limits/dailyCostMicros, -1",
    "Claim, reserve, -1",
    "Claim, reserve, 1000000000000001",
    "Renew, sessions/0/tokens, -1",
    "Renew, sessions/0/costMicros, -1",
    "Release, tokens, -1",
    "Release, costMicros, -1",
    "Cap, limit, -1",
    "Budget, limits/dailyCostMicros, -1",
    "Budget, limits/dailyTokens, -1",
    "Spend, costMicros, 1000000000000001",
    "Spend, tokens, -1",
  })
  void anAmountIsOutOfItsBounds(String kind, String field, long value) {
    assertThat(changed(kind, field, parent -> parent.put(last(field), value))).isEmpty();
  }

  @ParameterizedTest(name = "{0} with {1} = {2}")
  @CsvSource({
    "Init, cap, 0",
    "Init, leaseMs, 1",
    "Claim, reserve, 0",
    "Claim, reserve, 1000000000000000",
    "Cap, limit, 0",
    "Budget, limits/dailyTokens, 0",
  })
  void anAmountAtItsBoundIsRead(String kind, String field, long value) {
    assertThat(changed(kind, field, parent -> parent.put(last(field), value))).isPresent();
  }

  static Stream<String[]> bounded() {
    return Stream.concat(
        required().filter(each -> tree(each[0]).at("/" + each[1]).isTextual()),
        Stream.of(new String[] {"Claim", "provider"}, new String[] {"Runner", "refusing"}));
  }

  @ParameterizedTest(name = "{0} with a long {1}")
  @MethodSource("bounded")
  void textAboveTheBoundIsIgnoredUnlessItIsAPersonsAndIsCut(String kind, String field) {
    String text = "x".repeat(EntryChecks.LONGEST + 1);
    Optional<LedgerEntry> entry = changed(kind, field, parent -> parent.put(last(field), text));

    if (field.equals("who") || field.equals("why")) {
      assertThat(RecordJson.parse(RecordJson.write(entry.orElseThrow())).path(field).asText())
          .hasSize(EntryChecks.LONGEST);
    } else {
      assertThat(entry).isEmpty();
    }
  }

  @Test
  void textAtTheBoundIsRead() {
    String text = "x".repeat(EntryChecks.LONGEST);

    assertThat(changed("Spend", "ref", parent -> parent.put("ref", text))).isPresent();
  }

  @Test
  @DisplayName("a part of a checkpoint has a set and a number from 1 on")
  void aPartIsNumbered() {
    assertThat(part("{\"set\":\"a\",\"number\":1,\"last\":true}")).isPresent();
    assertThat(part("{\"set\":\"a\",\"number\":0,\"last\":true}")).isEmpty();
    assertThat(part("{\"number\":1,\"last\":true}")).isEmpty();
  }

  private static Optional<LedgerEntry> part(String json) {
    return changed("Checkpoint", "part", parent -> parent.set("part", RecordJson.parse(json)));
  }

  private static Optional<LedgerEntry> changed(
      String kind, String field, Consumer<ObjectNode> change) {
    JsonNode entry = tree(kind);
    String path = "/" + field;
    change.accept((ObjectNode) entry.at(path.substring(0, path.lastIndexOf('/'))));
    return LedgerEntry.parse(entry.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode tree(String kind) {
    return kinds()
        .filter(each -> each.getSimpleName().equals(kind))
        .map(each -> RecordJson.parse(golden(each)))
        .findFirst()
        .orElseThrow();
  }

  private static String last(String field) {
    return field.substring(field.lastIndexOf('/') + 1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anEntryThatNoWriterOfOursWritesIsFoldedByEveryReaderOrByNone(Class<?> kind) {
    for (String poisoned : poisoned(golden(kind))) {
      Optional<LedgerEntry> entry = read(poisoned);
      entry.ifPresent(
          each -> assertThatCode(() -> fold(each)).as(poisoned).doesNotThrowAnyException());
    }
  }

  /** Into an empty ledger, and into one where its session lives; what follows is folded too. */
  private static void fold(LedgerEntry entry) {
    for (boolean lively : new boolean[] {false, true}) {
      var story = LedgerStory.withCap(3);
      if (lively) {
        kinds()
            .map(kind -> read(golden(kind)).orElseThrow())
            .filter(each -> !(each instanceof LedgerEntry.Rules))
            .filter(each -> !(each instanceof LedgerEntry.Checkpoint))
            .forEach(story::append);
      }
      story.append(entry);
      story.claim("s", "r", "1");
      LedgerState state = story.state();
      state.pauses(LedgerStory.NOON);
      LedgerState.restore(
          RecordJson.read(RecordJson.bytes(state.snapshot()), LedgerSnapshot.class));
    }
  }

  private static Optional<LedgerEntry> read(String json) {
    return LedgerEntry.parse(json.getBytes(StandardCharsets.UTF_8));
  }

  /** The entry once for each of its fields and each value in its place. */
  private static List<String> poisoned(String golden) {
    var all = new ArrayList<String>();
    JsonNode root = RecordJson.parse(golden);
    for (JsonNode parent : parents(root)) {
      if (parent instanceof ObjectNode object) {
        for (Map.Entry<String, JsonNode> field : List.copyOf(object.properties())) {
          for (String value : VALUES) {
            object.set(field.getKey(), RecordJson.parse("{\"v\":" + value + "}").get("v"));
            all.add(RecordJson.write(root));
          }
          object.remove(field.getKey());
          all.add(RecordJson.write(root));
          object.set(field.getKey(), field.getValue());
        }
      }
    }
    return all;
  }

  private static List<JsonNode> parents(JsonNode node) {
    var found = new ArrayList<JsonNode>();
    if (node instanceof ObjectNode || node instanceof ArrayNode) {
      found.add(node);
      node.forEach(child -> found.addAll(parents(child)));
    }
    return found;
  }

  private static String golden(Class<?> kind) {
    String path =
        "/golden/1/ledger-entry/" + kind.getSimpleName().toLowerCase(Locale.ROOT) + ".json";
    try (InputStream in = LedgerEntryTest.class.getResourceAsStream(path)) {
      return new String(Objects.requireNonNull(in, path).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(path, e);
    }
  }
}
