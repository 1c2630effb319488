package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.topic.Position;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How a lease is renewed and ends, and what becomes of its request. INV-6. */
class LeasesEndTest {
  private static final String A = "acme/web/1";
  private static final String B = "acme/web/2";

  private final LedgerStory story = LedgerStory.withCap(2);

  // S1-8
  @Test
  void aRenewalMovesEveryNamedOpenLease() {
    story.claim("s1", "r1", A);
    story.claim("s2", "r2", B);
    long at = story.next();

    Effect effect = story.renew(1, "s1", "gone", "s2");

    assertThat(((Effect.Renewed) effect).leases())
        .extracting(Lease::session)
        .containsExactly("s1", "s2");
    assertThat(story.state().leases()).allMatch(lease -> lease.seen() == at);
  }

  // S2-5
  @Test
  void aRenewalOfNothingOpenHasNoEffect() {
    assertThat(story.renew(1, "s1")).isInstanceOf(Effect.None.class);
  }

  @Test
  void usageNeverGoesBack() {
    story.claim("s1", "r1", A);
    story.usage("s1", 100, 50);
    story.usage("s1", 80, 20);

    Lease lease = story.state().lease("s1").orElseThrow();
    assertThat(lease.tokens()).isEqualTo(100);
    assertThat(lease.costMicros()).isEqualTo(50);
  }

  @Test
  void aReleaseEndsTheLeaseOnce() {
    story.claim("s1", "r1", A);

    assertThat(story.release("s1")).isInstanceOf(Effect.Released.class);
    assertThat(story.release("s1")).isInstanceOf(Effect.None.class);
    assertThat(story.state().live()).isZero();
  }

  // S1-14
  @Test
  void anExpiryThatSawTheLastRecordEndsTheLease() {
    long claimedAt = story.next();
    story.claim("s1", "r1", A);

    assertThat(story.expire("s1", claimedAt)).isInstanceOf(Effect.Expired.class);
    assertThat(story.release("s1")).isInstanceOf(Effect.None.class);
  }

  @Test
  void anExpiryThatMissedARenewalHasNoEffect() {
    long claimedAt = story.next();
    story.claim("s1", "r1", A);
    story.renew(1, "s1");

    assertThat(story.expire("s1", claimedAt)).isInstanceOf(Effect.None.class);
    assertThat(story.state().lease("s1")).isPresent();
  }

  @ParameterizedTest(name = "{0} known of {1} reserved: {2} booked")
  @CsvSource({"0, 600, 600", "200, 600, 600", "900, 600, 900", "0, 0, 0"})
  void anExpiryBooksTheReserveOrWhatIsKnownIfThatIsMore(long known, long reserve, long booked) {
    story.append(claimOf("s1", "r1", A, 11, 1, reserve));
    if (known > 0) {
      story.usage("s1", 10, known);
    }

    Effect effect = story.expire("s1", story.state().lease("s1").orElseThrow().seen());

    assertThat(((Effect.Expired) effect).lease().costMicros()).isEqualTo(booked);
    for (String scope :
        List.of(
            Scope.GLOBAL,
            Scope.tenant("acme"),
            Scope.source("acme/web"),
            Scope.provider("anthropic"))) {
      assertThat(story.state().spentMicros(scope, NOON)).as(scope).isEqualTo(booked);
    }
  }

  @ParameterizedTest(name = "{0} known of {1} reserved: {2} booked")
  @CsvSource({"0, 600, 600", "200, 600, 600", "900, 600, 900"})
  void aSweptSessionIsBookedLikeAnExpiredOne(long known, long reserve, long booked) {
    story.append(claimOf("s1", "r1", A, 11, 1, reserve));

    Effect effect = story.release("s1", Outcome.LOST, known, new Receipt("A", 2, 0, List.of(), 0));

    assertThat(((Effect.Released) effect).lease().costMicros()).isEqualTo(booked);
    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isEqualTo(booked);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void aReleaseThatSaysThatNothingWasStartedBooksNothing(Outcome outcome) {
    story.append(claimOf("s1", "r1", A, 11, 1, 600));
    story.release("s1", outcome, 0, Receipt.notStarted());

    assertThat(story.state().spentMicros(Scope.GLOBAL, NOON)).isZero();
  }

  @Test
  void anEndedSessionSpendsItsRequest() {
    story.claim("s1", "r1", A);
    story.release("s1");

    assertThat(story.state().spent("r1")).isTrue();
    assertThat(story.state().spentRequests())
        .singleElement()
        .extracting(SpentRequest::requestAt)
        .isEqualTo(new Position(0, 10));
    assertThat(story.state().whyNot(claimOf("s2", "r1", A), NOON))
        .contains(new WhyNot.RequestUsed("r1"));
  }

  @Test
  void settlingForgetsTheRequestAndRaisesTheFloor() {
    story.claim("s1", "r1", A);
    story.release("s1");

    assertThat(story.settled("r1", 14)).isEqualTo(new Effect.Settled("r1"));

    assertThat(story.state().spent("r1")).isFalse();
    assertThat(story.state().floor(0)).isEqualTo(15);
    assertThat(story.state().whyNot(claimOf("s2", "r1", A, 14), NOON))
        .contains(new WhyNot.BelowFloor(0, 15));
    assertThat(story.claim("s3", "r2", A)).isInstanceOf(Effect.None.class);
    assertThat(story.append(claimOf("s4", "r2", A, 15))).isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void aFloorNeverSinks() {
    story.claim("s1", "r1", A);
    story.claim("s2", "r2", B);
    story.release("s1");
    story.release("s2");
    story.settled("r1", 30);
    story.settled("r2", 20);

    assertThat(story.state().floor(0)).isEqualTo(31);
  }

  @Test
  void onlyASpentRequestIsSettledAndOnlyByALaterRecord() {
    story.claim("s1", "r1", A);
    assertThat(story.settled("r1", 14)).isInstanceOf(Effect.None.class);
    assertThat(story.settled("unknown", 14)).isInstanceOf(Effect.None.class);

    story.release("s1");
    assertThat(story.settled("r1", 10)).isInstanceOf(Effect.None.class);
    assertThat(story.state().floor(0)).isZero();
  }
}
