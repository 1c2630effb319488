package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is next is what a runner claims next: {@code runner.queue.RequestIndex} has the rule. */
final class NextUpTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  @TempDir Path folder;
  private Projection projection;
  private LedgerState ledger = LedgerState.empty();
  private long offset;

  @BeforeEach
  void open() {
    projection = new Projection(folder, 10, 10);
    fold(new LedgerEntry.Init(1, 45_000, List.of()));
    fold(new LedgerEntry.Runner("r1", LedgerState.RULES, "A", 4, null, null, null, null));
  }

  @AfterEach
  void close() {
    projection.close();
  }

  @Test
  void theOrderIsThatOfTurnsAndNotOfKeys() {
    waits("a/s/1", 2, T.plusSeconds(3));
    waits("a/s/10", 2, T.plusSeconds(1));
    waits("a/s/2", 2, T.plusSeconds(2));
    waits("a/s/9", 1, T.plusSeconds(4));

    assertThat(next()).containsExactly("a/s/9", "a/s/10", "a/s/2", "a/s/1");
  }

  @Test
  void tenantsTakeTurnsBeginningWithTheOneThatHasNoSession() {
    waits("a/s/1", 1, T);
    waits("a/s/2", 1, T.plusSeconds(1));
    waits("a/s/runs", 1, T.minusSeconds(1));
    waits("b/s/1", 2, T.plusSeconds(9));
    waits("b/s/2", 2, T.plusSeconds(10));
    claim("a/s/runs");

    assertThat(next()).as("served longer ago").containsExactly("b/s/1", "a/s/1", "b/s/2", "a/s/2");
  }

  @Test
  void whatAPauseHoldsUpComesLast() {
    waits("a/s/1", 1, T);
    waits("b/s/1", 2, T);
    waits("b/s/2", 2, T.plusSeconds(1));
    fold(new LedgerEntry.Pause("tenant:a", null, -1L, "ann", "lunch"));

    assertThat(next()).containsExactly("b/s/1", "b/s/2", "a/s/1");
  }

  private List<String> next() {
    projection.commit(() -> {
      SeededProjection.put(projection, ledger, T);
      projection.ledger.keep(ledger);
    });
    try (var view = ConsoleView.open(folder).orElseThrow()) {
      return view.next(5, T, Map.of()).stream().map(ItemRow::key).toList();
    }
  }

  private void claim(String key) {
    fold(Sample.claim(key, "q-" + key, "s1"));
  }

  private void fold(LedgerEntry entry) {
    ledger = ledger.fold(entry, offset++, T).state();
  }

  private void waits(String key, int priority, Instant since) {
    var out = new ItemPhase.Outstanding("q-" + key, ItemPhase.Attempts.FIRST, since, null, null);
    var snapshot = Sample.snapshot("Search is slow", "text");
    projection.commit(() -> {
      projection.items.put(
          key, Sample.state(snapshot, new ItemPhase.Queued(out, Sample.verdict()), 0, T));
      projection.items.request(key, Sample.request("q-" + key, priority, since, null, snapshot));
    });
  }
}
