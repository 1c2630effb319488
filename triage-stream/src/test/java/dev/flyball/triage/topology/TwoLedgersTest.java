package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.triage.TriageApp;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ledgers of two pools, folded by one task. */
final class TwoLedgersTest {
  private static final Topics TOPICS =
      new Topics("flyball.", new Pools(Map.of("big", Set.of("acme"))), Pools.DEFAULT);
  private static final String USUAL = TOPICS.sessionLedger();
  private static final String BIG = TOPICS.in("big").sessionLedger();

  @TempDir private Path folder = Path.of("");
  private DrivenStream stream;

  @BeforeEach
  void begin() {
    stream = new DrivenStream(folder, 1, TOPICS);
    stream.ledger(BIG, new LedgerEntry.Init(3, 45_000, List.of()));
  }

  @AfterEach
  void end() {
    stream.close();
  }

  @Test
  void aClaimsTokenHasTheIdOfTheLedgerThatItIsIn() {
    stream.ledger(USUAL, claim("zeta/a/1"));
    stream.ledger(BIG, new LedgerEntry.Runner("r", 1, "A", 4, null, null));
    stream.ledger(BIG, claim("acme/a/1"));

    assertThat(tokens(EventType.SESSION_CLAIMED)).containsExactly("LEDGER:1", "LEDGER-big:2");
  }

  @Test
  void aLeaseEndsInItsLedgerAlone() {
    stream.ledger(BIG, claim("acme/a/1"));
    stream.ledger(USUAL, new LedgerEntry.Expire("s-acme/a/1", 1));
    assertThat(tokens(EventType.SESSION_LEASE_ENDED)).isEmpty();

    stream.ledger(BIG, new LedgerEntry.Expire("s-acme/a/1", 1));
    assertThat(tokens(EventType.SESSION_LEASE_ENDED)).containsExactly("LEDGER-big:1");
  }

  @Test
  void rulesThatItDoesNotKnowAreReportedWithTheirLedger() {
    assertThatThrownBy(() -> stream.ledger(BIG, new LedgerEntry.Rules(LedgerState.RULES + 1)))
        .hasRootCauseMessage(
            BIG
                + " is folded by rules "
                + (LedgerState.RULES + 1)
                + ", which this version does not know; start a newer version");
  }

  @Test
  void whetherThisProcessFoldsTheLedgersIsReported() {
    assertThat(stream.foldsLedgers).containsExactly(true);

    stream.close();

    assertThat(stream.foldsLedgers).containsExactly(true, false);
  }

  @Test
  void allLedgersAreInputs() {
    assertThat(TriageApp.inputs(TOPICS)).contains(USUAL, BIG);
  }

  private List<String> tokens(EventType type) {
    stream.newEvents();
    return stream.allEvents().stream()
        .map(TwoLedgersTest::event)
        .filter(event -> event.type() == type)
        .map(event -> event.data().text(Field.TOKEN).orElseThrow())
        .toList();
  }

  private static LifecycleEvent event(TestRecord<String, byte[]> record) {
    return EventHeaders.read(record.headers(), record.value());
  }

  private static LedgerEntry.Claim claim(String item) {
    return new LedgerEntry.Claim(
        "q-" + item,
        new Position(0, 0),
        1,
        ItemKey.parse(item),
        1,
        "s-" + item,
        "r",
        null,
        LedgerState.RULES,
        0);
  }
}
