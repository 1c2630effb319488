package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is next is what a runner claims next: {@code runner.queue.RequestIndex} has the rule. */
final class NextUpTest extends ProjectionFixture {
  @BeforeEach
  void begin() {
    fold(new LedgerEntry.Init(1, 45_000, List.of()));
    fold(new LedgerEntry.Runner("r1", LedgerState.RULES, "A", 4, null, null, null, null));
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
    fold(Sample.claim("a/s/runs", "q-a/s/runs", "s1"));

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
    return view.next(5, T, Map.of()).stream().map(it -> it.item().key()).toList();
  }

  private void waits(String key, int priority, Instant since) {
    var out = new ItemPhase.Outstanding("q-" + key, ItemPhase.Attempts.FIRST, since, null, null);
    put(key, new ItemPhase.Queued(out, Sample.verdict()));
    var request = Sample.request("q-" + key, priority, since, null, Sample.snapshot());
    projection.commit(() -> projection.items.request(key, request));
  }
}
