package dev.flyball.triage.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.util.DefaultLocale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LedgerFoldTest {
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");

  private final KeyValueStore<String, byte[]> store =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore("fold"), Serdes.String(), Serdes.ByteArray())
          .withLoggingDisabled()
          .withCachingDisabled()
          .build();

  LedgerFoldTest() {
    var context = new MockProcessorContext<Void, Void>();
    store.init(context.getStateStoreContext(), store);
  }

  @ParameterizedTest(name = "after {0} further entries")
  @ValueSource(ints = {0, 1, 254, 255, 256, 700})
  void aRestartedFoldGoesOnWhereItWas(int entries) {
    var before = new LedgerFold(store, "L");
    before.fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    assertThat(before.fold(claim(), 1, AT)).isInstanceOf(Effect.Claimed.class);
    for (int n = 0; n < entries; n++) {
      before.fold(new LedgerEntry.Runner("r", 1, "A", 4, null), 2 + n, AT);
    }
    var after = new LedgerFold(store, "L");
    assertThat(after.fold(new LedgerEntry.Expire("s", 1), 2 + entries, AT))
        .isInstanceOf(Effect.Expired.class);
  }

  @Test
  @DefaultLocale("fa-IR")
  void aStartUnderAnotherLocaleGoesOnWhereItWas() {
    var before = new LedgerFold(store, "L");
    before.fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    before.fold(claim(), 1, AT);

    Locale.setDefault(Locale.ROOT);

    assertThat(new LedgerFold(store, "L").fold(new LedgerEntry.Expire("s", 1), 2, AT))
        .isInstanceOf(Effect.Expired.class);
  }

  @Test
  void aRecreatedLedgerIsRefused() {
    new LedgerFold(store, "L").fold(new LedgerEntry.Init(2, 45_000, List.of()), 0, AT);
    assertThatThrownBy(() -> new LedgerFold(store, "M"))
        .isInstanceOf(RecreatedLedger.class)
        .hasMessageContaining("recreated");
  }

  private static LedgerEntry.Claim claim() {
    return new LedgerEntry.Claim(
        "q",
        new LedgerEntry.Position(0, 0),
        1,
        ItemKey.parse("a/b/c"),
        1,
        "s",
        "r",
        null,
        LedgerState.RULES,
        0);
  }
}
