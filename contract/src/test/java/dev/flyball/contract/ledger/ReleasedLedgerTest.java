package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A ledger as each released version wrote and folded it. Runners of two versions that fold the same
 * entries differently stop claiming, so today's fold has to reach the recorded state after each
 * entry. {@code -Dgolden=FILE} writes the ledger of a new version, for ops/release/golden.
 */
@DisplayName("The ledger of every released version is folded to the state that it recorded")
final class ReleasedLedgerTest {
  private static final Path RELEASED = Path.of("src/test/resources/released");

  static Stream<Path> ledgers() throws IOException {
    try (Stream<Path> all = Files.list(RELEASED)) {
      return all.sorted().map(version -> version.resolve("ledger.jsonl")).toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("ledgers")
  void everyEntryLeadsToTheRecordedState(Path ledger) throws IOException {
    LedgerState state = LedgerState.empty();
    List<String> lines = Files.readAllLines(ledger);
    for (String line : lines) {
      JsonNode recorded = RecordJson.parse(line);
      LedgerEntry entry =
          LedgerEntry.parse(recorded.path("entry").toString().getBytes(StandardCharsets.UTF_8))
              .orElseThrow();
      Instant at = Instant.parse(recorded.path("at").asText());
      state = state.fold(entry, recorded.path("offset").asLong(), at).state();
      assertThat(summary(state)).as(line).isEqualTo(recorded.path("state").asText());
    }
    assertThat(lines).hasSizeGreaterThan(20);
  }

  @Test
  void theStoryUsesEveryKindOfEntryThatChangesTheState() {
    assertThat(story().stream().map(LedgerEntry::getClass).distinct())
        .hasSize(LedgerEntry.class.getPermittedSubclasses().length - 2);
  }

  @Test
  void aNewVersionsLedgerIsWrittenOnRequest() throws IOException {
    String file = System.getProperty("golden");
    if (file != null) {
      Files.write(Path.of(file), recorded());
    }
    assertThat(recorded()).hasSameSizeAs(story());
  }

  /** All but checkpoints, which runners write of a state, and changes of the rules. */
  private static List<LedgerEntry> story() {
    return List.of(
        new LedgerEntry.Init(2, 45_000, List.of()),
        golden("runner"),
        claimOf("s1", "r1", "acme/web/1"),
        claimOf("s2", "r2", "acme/web/2"),
        claimOf("s3", "r3", "acme/web/3"),
        usage("s1", 100, 50),
        usage("s1", 80, 20),
        release("s1", Outcome.COMPLETED, 70),
        claimOf("s4", "r3", "acme/web/3"),
        claimOf("s5", "r1", "acme/web/1"),
        new LedgerEntry.Expire("s2", 1),
        new LedgerEntry.Expire("s2", 3),
        new LedgerEntry.Settled("r1", 7),
        new LedgerEntry.Cap("tenant:acme", 1, -1, "ann", "calm"),
        claimOf("s6", "r4", "acme/web/4"),
        new LedgerEntry.Cap("global", 5, 0, "ann", "more"),
        release("s4", Outcome.FAILED, 10),
        new LedgerEntry.Pause("source:acme/web", NOON.plusSeconds(600), -1, "ann", "broken"),
        claimOf("s7", "r5", "acme/web/5"),
        new LedgerEntry.Resume("source:acme/web", 17, "ann", "works"),
        claimOf("s8", "r5", "acme/web/5"),
        new LedgerEntry.Budget("tenant:acme", new Limits(1000L, null), -1, "ann", "month"),
        golden("spend"),
        release("s8", Outcome.TIMED_OUT, 900),
        claimOf("s9", "r6", "acme/web/6", 11, 1, 500));
  }

  private static List<String> recorded() {
    LedgerState state = LedgerState.empty();
    var lines = new ArrayList<String>();
    Instant at = NOON;
    for (LedgerEntry entry : story()) {
      long offset = lines.size();
      state = state.fold(entry, offset, at).state();
      lines.add(
          "{\"offset\":%d,\"at\":\"%s\",\"entry\":%s,\"state\":\"%s\"}"
              .formatted(offset, at, RecordJson.write(entry), summary(state)));
      at = at.plusSeconds(3);
    }
    return lines;
  }

  private static String summary(LedgerState state) {
    return "live %d cap %d digest %s".formatted(state.live(), state.cap(), state.digest());
  }

  private static LedgerEntry usage(String session, long tokens, long costMicros) {
    return new LedgerEntry.Renew(1, List.of(new LedgerEntry.Usage(session, tokens, costMicros)));
  }

  private static LedgerEntry release(String session, Outcome outcome, long costMicros) {
    return new LedgerEntry.Release(
        session, outcome, null, null, 0, null, Timings.ZERO, 0, costMicros, Receipt.notStarted());
  }

  private static LedgerEntry golden(String kind) {
    return LedgerEntry.parse(GoldenEntriesTest.golden(kind).getBytes(StandardCharsets.UTF_8))
        .orElseThrow();
  }
}
