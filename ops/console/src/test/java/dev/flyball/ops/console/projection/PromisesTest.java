package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-30: health holds the invariants that can be seen from outside")
class PromisesTest {
  private final Promises promises = new Promises();
  private LedgerState ledger = LedgerState.empty();
  private long offset;

  @Test
  void aFullLedgerKeepsItsPromise() {
    append(new LedgerEntry.Init(2, 45_000, List.of()));
    append(claim("s1", "1"));
    append(claim("s2", "2"));

    assertThat(ledger.live()).isEqualTo(2);
    assertThat(promises.broken(ledger, Map.of())).isEmpty();
  }

  @Test
  void aLoweredCapDrainsAndIsNoBrokenPromise() {
    append(new LedgerEntry.Init(2, 45_000, List.of()));
    append(claim("s1", "1"));
    append(claim("s2", "2"));
    append(new LedgerEntry.Cap("global", 1, ledger.lastOperator("global"), "ann", "night"));

    assertThat(ledger.cap()).isEqualTo(1);
    assertThat(promises.broken(ledger, Map.of())).isEmpty();
  }

  @Test
  void survivorsAndSecondTerminalsAreBrokenPromises() {
    append(new LedgerEntry.Init(2, 45_000, List.of()));

    assertThat(promises.broken(ledger, Map.of("survivors", 2L, "second-terminals", 1L)))
        .containsExactly(
            "INV-5: 2 processes outlived their sessions",
            "INV-6: 1 sessions have a second terminal event");
  }

  @Test
  void moreLiveSessionsThanWereEverAllowedIsABrokenPromise() {
    append(new LedgerEntry.Init(1, 45_000, List.of()));
    var fresh = new Promises();
    var tooMany = ledger;
    tooMany =
        tooMany
            .fold(
                new LedgerEntry.Cap("global", 3, tooMany.lastOperator("global"), "a", "b"),
                offset++,
                Instant.EPOCH)
            .state();
    tooMany = tooMany.fold(claim("s1", "1"), offset++, Instant.EPOCH).state();
    tooMany = tooMany.fold(claim("s2", "2"), offset++, Instant.EPOCH).state();
    tooMany =
        tooMany
            .fold(
                new LedgerEntry.Cap("global", 1, tooMany.lastOperator("global"), "a", "b"),
                offset++,
                Instant.EPOCH)
            .state();

    assertThat(fresh.broken(tooMany, Map.of()))
        .containsExactly("INV-1: 2 sessions are live, the cap is 1");
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, Instant.EPOCH).state();
    promises.observe(ledger);
  }

  private LedgerEntry claim(String session, String id) {
    return new LedgerEntry.Claim(
        "q" + session,
        new LedgerEntry.Position(0, offset),
        offset + 1,
        new ItemKey("a", "b", id),
        1,
        session,
        "r1",
        null,
        LedgerState.RULES,
        0);
  }
}
