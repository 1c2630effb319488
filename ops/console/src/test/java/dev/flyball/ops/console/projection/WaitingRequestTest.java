package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WaitingRequest.Ahead;
import dev.flyball.testkit.Sample;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes before an item in its tenant's queue, by the projection. */
class WaitingRequestTest extends ProjectionFixture {
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
        new ItemPhase.Running(out("q"), Sample.verdict(), "s", "t:1", "r1", false));

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
    put(key, new ItemPhase.Queued(out("q-" + key), Sample.verdict()));
    var request =
        new SessionRequest(
            "q-" + key,
            1,
            priority,
            since,
            new Route(profile, null, provider),
            Sample.snapshot(),
            Sample.verdict(),
            null,
            null);
    projection.commit(() -> projection.items.request(key, request));
  }

  private static ItemPhase.Outstanding out(String request) {
    return new ItemPhase.Outstanding(request, ItemPhase.Attempts.FIRST, T, null, null);
  }
}
