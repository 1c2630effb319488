package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.console.why.WhyNotRunning.WaitingRequest;
import dev.flyball.ops.console.why.WhyNotRunning.WaitingRequest.Ahead;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes before an item in its tenant's queue, by the projection. */
class WaitingRequestsTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  @Test
  void earlierTurnsOfTheTenantThatStillWaitAreCountedBySourceProviderAndProfile(
      @TempDir Path folder) throws SQLException {
    try (var projection = new Projection(folder, 3, 2);
        var file = ProjectionFile.openForReading(folder).orElseThrow()) {
      waits(projection, "acme/ado/1", 2, T, null);
      waits(projection, "acme/ado/older", 2, T.minusSeconds(1), null);
      waits(projection, "acme/ado/urgent", 1, T.plus(Duration.ofMinutes(59)), null);
      waits(projection, "acme/ado/limited", 1, T, "openai");
      waits(projection, "acme/ado/deep", 1, T, null, "deep");
      waits(projection, "acme/web/urgent", 1, T, null);
      waits(projection, "acme/web/too-late", 1, T.plus(Duration.ofMinutes(61)), null);
      waits(projection, "acme-2/ado/1", 1, T, null);
      waits(projection, "acme/web/runs", 1, T, null);
      var out = new ItemPhase.Outstanding("q", ItemPhase.Attempts.FIRST, T, null, null);
      projection.commit(() ->
          projection.items.put(
              "acme/web/runs",
              state(new ItemPhase.Running(out, verdict(), "s", "t:1", "r1", false))));

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

  private static void waits(
      Projection projection, String key, int priority, Instant since, @Nullable String provider) {
    waits(projection, key, priority, since, provider, Route.DEFAULT);
  }

  private static void waits(
      Projection projection,
      String key,
      int priority,
      Instant since,
      @Nullable String provider,
      String profile) {
    var out = new ItemPhase.Outstanding("q-" + key, ItemPhase.Attempts.FIRST, since, null, null);
    projection.commit(() -> {
      projection.items.put(key, state(new ItemPhase.Queued(out, verdict())));
      projection.items.request(
          key,
          new SessionRequest(
              "q-" + key,
              1,
              priority,
              since,
              new Route(profile, null, provider),
              snapshot(),
              verdict(),
              null,
              null));
    });
  }

  private static Verdict verdict() {
    return Sample.verdict();
  }

  private static ItemState state(ItemPhase phase) {
    return Sample.state(snapshot(), phase, 0, T);
  }

  private static Snapshot snapshot() {
    return Sample.snapshot("Search is slow", "text");
  }
}
