package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An entry with a value that no writer of ours would write is unreadable or has an effect like any
 * other: one that broke the fold would stop every reader of the ledger, at each start again.
 */
class PoisonEntriesTest {
  private static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

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

  static List<Class<?>> kinds() {
    return GoldenEntriesTest.kinds().<Class<?>>map(kind -> kind).toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void isFoldedByEveryReaderOrByNone(Class<?> kind) {
    for (String poisoned : poisoned(GoldenEntriesTest.golden(kind.getSimpleName()))) {
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
        kinds().stream()
            .map(kind -> read(GoldenEntriesTest.golden(kind.getSimpleName())).orElseThrow())
            .filter(each -> !(each instanceof LedgerEntry.Rules))
            .filter(each -> !(each instanceof LedgerEntry.Checkpoint))
            .forEach(story::append);
      }
      story.append(entry);
      story.claim("s", "r", "1");
      LedgerState state = story.state();
      state.pauses(NOON);
      LedgerState.restore(
          RecordJson.read(RecordJson.bytes(state.snapshot()), LedgerSnapshot.class));
    }
  }

  private static Optional<LedgerEntry> read(String json) {
    try {
      return Optional.of(RecordJson.read(json.getBytes(StandardCharsets.UTF_8), LedgerEntry.class));
    } catch (UnreadableRecord e) {
      return Optional.empty();
    }
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
}
