package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.projection.Permits.Started;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class PermitsTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  private final Permits permits = new Permits(9);

  @Test
  void aSessionWhoseClaimTookEffectMayStart() {
    permits.claimed(10, "s1");
    permits.started(new Started("s1", 10, T));

    assertThat(permits.without(10)).isEmpty();
  }

  @Test
  @DisplayName("a session without an effective claim is found, once (INV-1)")
  void aSessionWithoutAClaimIsFound() {
    permits.claimed(10, "s1");
    var without = new Started("s2", 11, T);
    var ofAnother = new Started("s3", 10, T);
    permits.started(without);
    permits.started(ofAnother);

    assertThat(permits.without(11)).containsExactly(without, ofAnother);
    assertThat(permits.without(12)).isEmpty();
  }

  @Test
  void aStartIsJudgedOnlyOnceTheLedgerWasReadPastItsClaim() {
    permits.started(new Started("s1", 12, T));
    assertThat(permits.without(11)).isEmpty();

    permits.claimed(12, "s1");
    assertThat(permits.without(12)).isEmpty();
  }

  @Test
  void claimsThatAreNotKnownAreNotJudged() {
    permits.started(new Started("s1", 9, T));
    assertThat(permits.without(20)).isEmpty();

    for (int i = 0; i <= Permits.KEPT; i++) {
      permits.claimed(21 + i, "t" + i);
    }
    permits.started(new Started("s2", 21, T));
    assertThat(permits.without(1_000_000)).isEmpty();
  }
}
