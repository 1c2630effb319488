package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WaitingRequest.Ahead;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes before an item in its tenant's queue, by the projection. */
class WaitingRequestsTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  @Test
  void earlierTurnsOfTheTenantThatStillWaitAreCountedBySourceAndProvider(@TempDir Path folder)
      throws SQLException {
    try (var projection = new Projection(folder, 3, 2);
        var file = ProjectionFile.openForReading(folder).orElseThrow()) {
      waits(projection, "acme/ado/1", 2, T, null);
      waits(projection, "acme/ado/older", 2, T.minusSeconds(1), null);
      waits(projection, "acme/ado/urgent", 1, T.plus(Duration.ofMinutes(59)), null);
      waits(projection, "acme/ado/limited", 1, T, "openai");
      waits(projection, "acme/web/urgent", 1, T, null);
      waits(projection, "acme/web/too-late", 1, T.plus(Duration.ofMinutes(61)), null);
      waits(projection, "acme-2/ado/1", 1, T, null);
      waits(projection, "acme/web/runs", 1, T, null);
      var out = new ItemPhase.Outstanding("q", ItemPhase.Attempts.FIRST, T, null);
      projection.commit(() ->
          projection
              .items()
              .put(
                  "acme/web/runs",
                  state(new ItemPhase.Running(out, verdict(), "s", "t:1", "r1", false))));

      WaitingRequest wanted =
          WaitingRequests.of(new Sql(file), ItemKey.parse("acme/ado/1")).orElseThrow();

      assertThat(wanted.request()).isEqualTo("q-acme/ado/1");
      assertThat(wanted.ahead())
          .containsExactlyInAnyOrder(
              new Ahead("acme/ado", null, 2),
              new Ahead("acme/ado", "openai", 1),
              new Ahead("acme/web", null, 1));
      assertThat(WaitingRequests.of(new Sql(file), ItemKey.parse("acme/ado/2"))).isEmpty();
    }
  }

  private static void waits(
      Projection projection, String key, int priority, Instant since, @Nullable String provider) {
    var out = new ItemPhase.Outstanding("q-" + key, ItemPhase.Attempts.FIRST, since, null);
    projection.commit(() -> {
      projection.items().put(key, state(new ItemPhase.Queued(out, verdict())));
      projection
          .items()
          .request(
              key,
              new SessionRequest("q-" + key, 1, priority, since, provider, snapshot(), verdict()));
    });
  }

  private static Verdict verdict() {
    return new Verdict("t", true, 2, List.of(), 2, "clear steps", "rules/1", "b1", 0);
  }

  private static ItemState state(ItemPhase phase) {
    return new ItemState(
        ItemState.SCHEMA,
        snapshot(),
        new ItemState.Position(0, 0),
        null,
        phase,
        null,
        List.of(),
        0,
        0L,
        T);
  }

  private static Snapshot snapshot() {
    return new Snapshot(
        "1",
        "Search is slow",
        "text",
        "Active",
        false,
        "Bug",
        2,
        List.of(),
        null,
        null,
        null,
        true,
        new Fingerprint("1:title", "ab"));
  }
}
