package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Topics;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultLocale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LedgerFoldTest {
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");

  private static final String LEDGER = Topics.DEFAULT.sessionLedger();

  private final KeyValueStore<String, byte[]> store = DrivenStream.store();

  @ParameterizedTest(name = "after {0} further entries")
  @ValueSource(ints = {0, 1, 254, 255, 256, 700})
  void aRestartedFoldGoesOnWhereItWas(int entries) {
    var before = new LedgerFold(store, LEDGER, "L");
    before.fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    assertThat(before.fold(claim(), 1, AT)).isInstanceOf(Effect.Claimed.class);
    for (int n = 0; n < entries; n++) {
      before.fold(new LedgerEntry.Runner("r", 1, "A", 4, null, null, null, null), 2 + n, AT);
    }
    var after = new LedgerFold(store, LEDGER, "L");
    assertThat(after.fold(new LedgerEntry.Expire("s", 1), 2 + entries, AT))
        .isInstanceOf(Effect.Expired.class);
  }

  @Test
  @DefaultLocale("fa-IR")
  void aStartUnderAnotherLocaleGoesOnWhereItWas() {
    var before = new LedgerFold(store, LEDGER, "L");
    before.fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    before.fold(claim(), 1, AT);

    Locale.setDefault(Locale.ROOT);

    assertThat(new LedgerFold(store, LEDGER, "L").fold(new LedgerEntry.Expire("s", 1), 2, AT))
        .isInstanceOf(Effect.Expired.class);
  }

  @Test
  void aLedgerOfMoreThanARecordHoldsMakesNoLargeRecord() {
    var before = new LedgerFold(store, LEDGER, "L");
    before.fold(new LedgerEntry.Init(20_000, 45_000, List.of()), 0, AT);
    long offset = 1;
    for (int n = 0; n < 10_000; n++) {
      before.fold(claim("q" + n, "a/b/" + n, "s" + n), offset++, AT);
      if (n >= 3_000) {
        before.fold(new LedgerEntry.Expire("s" + n, offset - 1), offset++, AT);
      }
    }
    var after = new LedgerFold(store, LEDGER, "L");

    assertThat(largestRow()).isLessThan(RecordSink.MOST);
    assertThat(after.state().digest()).isEqualTo(before.state().digest());
    assertThat(after.state().live()).isEqualTo(3_000);
    assertThat(after.state().unsettled()).isEqualTo(7_000);
  }

  @Test
  void settledRequestsLeaveNoRow() {
    var fold = new LedgerFold(store, LEDGER, "L");
    fold.fold(new LedgerEntry.Init(20_000, 45_000, List.of()), 0, AT);
    long offset = 1;
    for (int n = 0; n < 1_000; n++) {
      fold.fold(claim("q" + n, "a/b/" + n, "s" + n), offset++, AT);
      fold.fold(new LedgerEntry.Expire("s" + n, offset - 1), offset++, AT);
      fold.fold(new LedgerEntry.Settled("q" + n, 5), offset++, AT);
    }
    assertThat(rows()).isLessThan(300);
  }

  @Test
  void anEntryThatFitsNoRecordWithWhatIsSavedBesideItIsFoldedAllTheSame() {
    var before = new LedgerFold(store, LEDGER, "L");
    before.fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    before.fold(claim(), 1, AT);
    var usages = new ArrayList<LedgerEntry.Usage>();
    usages.add(new LedgerEntry.Usage("s", 7, 0));
    while (usages.size() < 1_100) {
      usages.add(new LedgerEntry.Usage(usages.size() + "x".repeat(900), 7, 0));
    }
    assertThat(before.fold(new LedgerEntry.Renew(1, usages), 2, AT))
        .isInstanceOf(Effect.Renewed.class);

    assertThat(largestRow()).isLessThan(RecordSink.MOST);
    assertThat(new LedgerFold(store, LEDGER, "L").state().digest())
        .isEqualTo(before.state().digest());
  }

  @Test
  void aLedgerWhoseStartWasCutOffIsNotFoldedFromItsMiddle() {
    var fold = new LedgerFold(store, LEDGER, "L");
    assertThatThrownBy(() -> fold.fold(claim(), 7, AT)).isInstanceOf(LedgerFold.LedgerFault.class);
    assertThatThrownBy(() -> fold.skip(7))
        .isInstanceOf(LedgerFold.LedgerFault.class)
        .hasMessageContaining(LEDGER + " begins at offset 7");
  }

  @Test
  void aRecreatedLedgerIsRefused() {
    new LedgerFold(store, LEDGER, "L").fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    assertThatThrownBy(() -> new LedgerFold(store, LEDGER, "M"))
        .isInstanceOf(LedgerFold.LedgerFault.class)
        .hasMessageContaining(LEDGER + " was recreated");
  }

  private long largestRow() {
    long largest = 0;
    try (KeyValueIterator<String, byte[]> all = store.all()) {
      while (all.hasNext()) {
        largest = Math.max(largest, all.next().value.length);
      }
    }
    return largest;
  }

  private int rows() {
    int count = 0;
    try (KeyValueIterator<String, byte[]> all = store.all()) {
      for (; all.hasNext(); all.next()) {
        count++;
      }
    }
    return count;
  }

  private static LedgerEntry.Claim claim() {
    return claim("q", "a/b/c", "s");
  }

  private static LedgerEntry.Claim claim(String request, String item, String session) {
    return Sample.claim(item, request, session);
  }
}
