package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Position;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LeaseAuditTest {
  private static final Instant FUTURE = Instant.parse("2100-01-01T00:00:00Z");

  @TempDir Path folder;
  private Projection projection;

  @BeforeEach
  void open() {
    projection = new Projection(folder, 10, 10);
  }

  @AfterEach
  void close() {
    projection.close();
  }

  @Test
  @DisplayName("a takeover counts once, although every start folds the ledger again (S2-1)")
  void aTakeoverCountsOnce() {
    foldTakeover(FUTURE);
    assertThat(takeovers()).isEqualTo(1);

    foldTakeover(FUTURE);
    assertThat(takeovers()).isEqualTo(1);
  }

  @Test
  void aProjectionWithoutHistoryCountsNoOldTakeovers() {
    foldTakeover(Instant.EPOCH);

    assertThat(takeovers()).isZero();
  }

  private void foldTakeover(Instant at) {
    LeaseAudit audit = projection.audit("ledger", -1);
    var claim =
        new LedgerEntry.Claim(
            "q1",
            new Position(0, 0),
            1,
            new ItemKey("a", "b", "1"),
            1,
            "s1",
            "r1",
            null,
            LedgerState.RULES,
            0);
    LedgerState ledger = LedgerState.empty();
    long offset = 0;
    for (LedgerEntry entry :
        List.of(
            new LedgerEntry.Init(2, 45_000, List.of()), claim, new LedgerEntry.Expire("s1", 1))) {
      ledger = audit.after(ledger.fold(entry, offset, at), offset, at);
      offset++;
    }
    assertThat(ledger.live()).isZero();
    projection.commit(audit::store);
  }

  private long takeovers() {
    return projection.figure().counters().getOrDefault(LeaseAudit.TAKEOVERS, 0L);
  }
}
