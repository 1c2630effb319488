package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.console.view.BrokenInvariant;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-30: health shows the invariants that can be seen from outside")
class InvariantsTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  private LedgerState ledger = LedgerState.empty();
  private Invariants invariants = new Invariants(ledger);
  private long offset;

  @Test
  void aFullLedgerBreaksNothing() {
    append(new LedgerEntry.Init(2, 45_000, List.of()));
    append(claim("s1", "1"));
    append(claim("s2", "2"));

    assertThat(ledger.live()).isEqualTo(2);
    assertThat(broken()).isEmpty();
  }

  @Test
  void aLoweredCapDrainsAndBreaksNothing() {
    twoLiveUnderACapOfOne();

    assertThat(ledger.live()).isEqualTo(2);
    assertThat(ledger.cap()).isEqualTo(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  @DisplayName("a console that starts while a lowered cap drains reports nothing (INV-1)")
  void aConsoleThatStartsDuringADrainReportsNothing() {
    twoLiveUnderACapOfOne();
    invariants = new Invariants(ledger);
    assertThat(broken()).isEmpty();

    append(new LedgerEntry.Pause("tenant:z", null, ledger.lastOperator("tenant:z"), "ann", "x"));
    assertThat(broken()).isEmpty();

    append(new LedgerEntry.Expire("s1", ledger.lease("s1").orElseThrow().seen()));
    assertThat(ledger.live()).isEqualTo(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  @DisplayName("a session that starts while the cap is reached is an alarm until it is kept again")
  void aStartAboveTheCapRingsUntilItDrained() {
    append(new LedgerEntry.Init(1, 45_000, List.of()));
    append(claim("s0", "0"));
    LedgerState full = ledger;
    ledger = LedgerState.empty();
    twoLiveUnderACapOfOne();
    LedgerState above = ledger;
    invariants = new Invariants(full);

    invariants.observe(above, T);

    assertThat(broken())
        .hasValueSatisfying(alarm -> {
          assertThat(alarm.rule()).isEqualTo(Invariants.Rule.CAP.label());
          assertThat(alarm.since()).isEqualTo(T);
          assertThat(alarm.line())
              .isEqualTo(
                  "session started above the cap: 2 are live, the cap is 1, since"
                      + " 2026-11-21T10:00:00Z");
        });
    invariants.observe(above, T.plusSeconds(5));
    assertThat(broken().map(BrokenInvariant::since)).hasValue(T);

    invariants.observe(full, T.plusSeconds(9));
    assertThat(broken()).isEmpty();
  }

  private Optional<BrokenInvariant> broken() {
    return invariants.broken();
  }

  private void twoLiveUnderACapOfOne() {
    append(new LedgerEntry.Init(2, 45_000, List.of()));
    append(claim("s1", "1"));
    append(claim("s2", "2"));
    append(new LedgerEntry.Cap("global", 1, ledger.lastOperator("global"), "ann", "night"));
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, Instant.EPOCH).state();
    invariants.observe(ledger, T);
  }

  private LedgerEntry claim(String session, String id) {
    return new LedgerEntry.Claim(
        "q" + session,
        new Position(0, offset),
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
