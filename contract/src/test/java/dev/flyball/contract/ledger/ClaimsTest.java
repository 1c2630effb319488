package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a claim takes effect. INV-1, INV-2. */
class ClaimsTest {
  private static final String A = "acme/web/1";
  private static final String B = "acme/web/2";
  private static final String OTHER_TENANT = "zeta/web/1";

  private final LedgerStory story = LedgerStory.withCap(2);

  @Test
  void withoutInitTheCapIsZero() {
    var empty = new LedgerStory();

    assertThat(empty.state().cap()).isZero();
    assertThat(empty.claim("s1", "r1", A)).isInstanceOf(Effect.None.class);
  }

  @Test
  void initIsEffectiveOnce() {
    assertThat(story.append(new LedgerEntry.Init(9, 1_000, List.of())))
        .isInstanceOf(Effect.None.class);
    assertThat(story.state().cap()).isEqualTo(2);
    assertThat(story.state().leaseTime()).hasSeconds(45);
  }

  @Test
  void aClaimOpensALeaseWithItsOffsetAsToken() {
    long offset = story.next();

    Effect effect = story.claim("s1", "r1", A);

    assertThat(effect).isInstanceOf(Effect.Claimed.class);
    assertThat(((Effect.Claimed) effect).lease().claimedAt()).isEqualTo(offset);
    assertThat(story.state().leaseOf(ItemKey.parse(A))).isPresent();
    assertThat(story.state().live()).isOne();
  }

  // S0-11, S0-43
  @Test
  void noMoreThanTheCapAreOpen() {
    story.claim("s1", "r1", A);
    story.claim("s2", "r2", B);

    assertThat(story.claim("s3", "r3", OTHER_TENANT))
        .isEqualTo(new Effect.None("at cap: 2 of 2 sessions are live"));
  }

  // S0-11, S1-6, S1-14
  @Test
  void anEndedLeaseFreesItsPermit() {
    story.claim("s1", "r1", A);
    story.claim("s2", "r2", B);
    story.release("s1");

    assertThat(story.claim("s3", "r3", OTHER_TENANT)).isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void loweringTheCapLetsOpenLeasesGoOn() {
    story.claim("s1", "r1", A);
    story.claim("s2", "r2", B);
    story.cap(Scope.GLOBAL, 1);
    story.release("s1");

    assertThat(story.claim("s3", "r3", OTHER_TENANT)).isInstanceOf(Effect.None.class);
    assertThat(story.state().live()).isOne();
  }

  // S3-9
  @Test
  void aTenantsCapHoldsForThatTenantOnly() {
    story.cap(Scope.GLOBAL, 4);
    story.cap(Scope.tenant("acme"), 1);
    story.claim("s0", "r0", "zeta/web/9");
    assertThat(story.claim("s1", "r1", A)).isInstanceOf(Effect.Claimed.class);

    assertThat(story.claim("s2", "r2", B)).isEqualTo(new Effect.None("tenant:acme at cap: 1 of 1"));
    assertThat(story.claim("s3", "r3", OTHER_TENANT)).isInstanceOf(Effect.Claimed.class);
  }

  @Test
  void sourcesAndProvidersHaveCapsToo() {
    story.cap(Scope.source("acme/web"), 0);
    assertThat(story.claim("s1", "r1", A)).isInstanceOf(Effect.None.class);
    assertThat(story.claim("s2", "r2", "acme/ado/1")).isInstanceOf(Effect.Claimed.class);

    story.cap(Scope.provider("openai"), 0);
    assertThat(story.claim("s3", "r3", OTHER_TENANT)).isInstanceOf(Effect.Claimed.class);
    story.release("s3");
    story.cap(Scope.provider("anthropic"), 1);
    assertThat(story.claim("s4", "r4", OTHER_TENANT)).isInstanceOf(Effect.None.class);
  }

  @Test
  @DisplayName("a family of models has a scope of its own, and belongs to its provider's")
  void aFamilyOfModelsIsPausedAlone() {
    assertThat(Scope.of(ItemKey.parse(A), "anthropic/opus"))
        .endsWith("provider:anthropic", "provider:anthropic/opus");
    story.pause("provider:anthropic/opus", null);

    assertThat(story.state().whyNot(of("s1", "anthropic/opus"), NOON))
        .hasValueSatisfying(why -> assertThat(why).isInstanceOf(WhyNot.Paused.class));
    assertThat(story.state().whyNot(of("s1", "anthropic/sonnet"), NOON)).isEmpty();
    story.pause("provider:anthropic", null);
    assertThat(story.state().whyNot(of("s1", "anthropic/sonnet"), NOON)).isPresent();
  }

  private static LedgerEntry.Claim of(String session, String provider) {
    LedgerEntry.Claim any = claimOf(session, "r1", A);
    return new LedgerEntry.Claim(
        any.request(),
        any.requestAt(),
        any.readTo(),
        any.item(),
        any.attempt(),
        session,
        any.runner(),
        provider,
        any.rules(),
        any.reserve());
  }

  @Test
  void anItemHasOneLeaseAtMost() {
    story.claim("s1", "r1", A);

    assertThat(story.state().whyNot(claimOf("s2", "r2", A), NOON))
        .contains(new WhyNot.ItemBusy("s1"));
    assertThat(story.claim("s2", "r2", A)).isInstanceOf(Effect.None.class);
  }

  @Test
  void aRequestThatIsHeldIsNotClaimedAgain() {
    story.claim("s1", "r1", A);

    assertThat(story.state().whyNot(claimOf("s2", "r1", B), NOON))
        .contains(new WhyNot.RequestUsed("r1"));
  }

  @Test
  void aSessionIdIsClaimedOnce() {
    story.claim("s1", "r1", A);
    assertThat(story.claim("s1", "r2", B)).isInstanceOf(Effect.None.class);

    story.release("s1");
    assertThat(story.claim("s1", "r1", A)).isInstanceOf(Effect.None.class);
  }

  @Test
  void aClaimMustHaveReadItsRequest() {
    assertThat(story.append(claimOf("s1", "r1", A, 10))).isInstanceOf(Effect.None.class);
  }

  @Test
  void readingARecordAgainChangesNothing() {
    story.claim("s1", "r1", A);
    LedgerState before = story.state();

    LedgerState.Folded again = before.fold(claimOf("s9", "r9", B), before.offset(), NOON);

    assertThat(again.effect()).isInstanceOf(Effect.None.class);
    assertThat(again.state()).isSameAs(before);
  }
}
