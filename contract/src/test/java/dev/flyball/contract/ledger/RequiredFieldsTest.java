package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One field of a golden entry is changed; every reader must then ignore the entry. */
@DisplayName("An entry with a missing or impossible field has no effect")
class RequiredFieldsTest {

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
        required().filter(each -> golden(each[0]).at("/" + each[1]).isTextual()),
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
    JsonNode entry = golden(kind);
    String path = "/" + field;
    change.accept((ObjectNode) entry.at(path.substring(0, path.lastIndexOf('/'))));
    return LedgerEntry.parse(entry.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static JsonNode golden(String kind) {
    return RecordJson.parse(GoldenEntriesTest.golden(kind));
  }

  private static String last(String field) {
    return field.substring(field.lastIndexOf('/') + 1);
  }
}
