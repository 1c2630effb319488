package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WaitingRequest.Ahead;
import dev.flyball.testkit.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What is next is what a runner claims next: {@code runner.queue.RequestIndex} has the rule; and
 * what goes before an item in its tenant's queue.
 */
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
    waits(key, priority, since, null, Route.DEFAULT);
  }

  @Test
  void earlierTurnsOfTheTenantThatStillWaitAreCountedBySourceProviderAndProfile() {
    waits("acme/ado/1", 2, T, null, Route.DEFAULT);
    waits("acme/ado/older", 2, T.minusSeconds(1), null, Route.DEFAULT);
    waits("acme/ado/urgent", 1, T.plus(Duration.ofMinutes(59)), null, Route.DEFAULT);
    waits("acme/ado/limited", 1, T, "openai", Route.DEFAULT);
    waits("acme/ado/deep", 1, T, null, "deep");
    waits("acme/web/urgent", 1, T, null, Route.DEFAULT);
    waits("acme/web/too-late", 1, T.plus(Duration.ofMinutes(61)), null, Route.DEFAULT);
    waits("acme-2/ado/1", 1, T, null, Route.DEFAULT);
    waits("acme/web/runs", 1, T, null, Route.DEFAULT);
    put(
        "acme/web/runs",
        new ItemPhase.Running(out("q", T), Sample.verdict(), "s", "t:1", "r1", false));

    try (var file = ProjectionFile.openForReading(folder, TenantScope.ALL).orElseThrow()) {
      WaitingRequest wanted = WaitingRequests.of(file, ItemKey.parse("acme/ado/1")).orElseThrow();

      assertThat(wanted.request()).isEqualTo("q-acme/ado/1");
      assertThat(wanted.ahead())
          .containsExactlyInAnyOrder(
              new Ahead("acme/ado", null, Route.DEFAULT, 2),
              new Ahead("acme/ado", "openai", Route.DEFAULT, 1),
              new Ahead("acme/ado", null, "deep", 1),
              new Ahead("acme/web", null, Route.DEFAULT, 1));
      assertThat(WaitingRequests.of(file, ItemKey.parse("acme/ado/2"))).isEmpty();
    }
  }

  private void waits(
      String key, int priority, Instant since, @Nullable String provider, String profile) {
    put(key, new ItemPhase.Queued(out("q-" + key, since), Sample.verdict()));
    var request =
        Sample.with(
            Sample.request("q-" + key, priority, since, provider, Sample.snapshot()),
            Map.of("route", new Route(profile, null, provider)));
    projection.commit(() -> projection.items.request(key, request));
  }

  private static ItemPhase.Outstanding out(String request, Instant since) {
    return new ItemPhase.Outstanding(request, ItemPhase.Attempts.FIRST, since, null, null);
  }
}
