package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A provider that refuses one runner's session refuses everybody's (T6). */
class ParticipantProviderTest {
  private static final Instant RESET = Instant.EPOCH.plusSeconds(3600);

  private final OneRunner runner = OneRunner.ready(3);

  @Test
  void aRefusalPausesTheProvidersScopeUntilItsReset() {
    LedgerEntry.Pause pause = pause(limited(RESET));

    assertThat(pause.scope()).isEqualTo("provider:somebody");
    assertThat(pause.until()).isEqualTo(RESET);
    assertThat(pause.seen()).as("nobody spoke of this scope before").isEqualTo(-1);
    assertThat(pause.why()).isEqualTo("provider limit");
  }

  @Test
  void aProviderPausedForAsLongIsNotPausedAgain() {
    runner.read(pause(limited(RESET)));

    assertThat(limited(RESET)).isEmpty();
    assertThat(limited(RESET.minusSeconds(1))).isEmpty();
  }

  @Test
  void aLaterResetReplacesTheEntryThatItHasSeen() {
    runner.read(pause(limited(RESET)));
    long first = runner.next() - 1;

    LedgerEntry.Pause longer = pause(limited(RESET.plusSeconds(1)));

    assertThat(longer.seen()).isEqualTo(first);
    assertThat(longer.until()).isEqualTo(RESET.plusSeconds(1));
  }

  @Test
  void aPauseIsRepeatedUntilTheLedgerShowsIt() {
    LedgerEntry.Pause lost = pause(limited(RESET));
    runner.passAndTick(OneRunner.TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Pause.class)).containsExactly(lost);

    runner.read(lost);
    runner.taken();
    runner.passAndTick(OneRunner.TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Pause.class)).isEmpty();
  }

  @Test
  void anOperatorsEntryThatComesFirstEndsTheRepetitionOfAPauseWithAnEnd() {
    limited(RESET);
    runner.readAt(Instant.EPOCH, new LedgerEntry.Pause("provider:somebody", null, -1, "ann", "x"));
    runner.readAt(
        Instant.EPOCH, new LedgerEntry.Resume("provider:somebody", runner.next() - 1, "ann", "y"));
    runner.taken();
    runner.passAndTick(OneRunner.TIMES.retry());

    assertThat(runner.appended(LedgerEntry.Pause.class)).isEmpty();
  }

  @Test
  void anExhaustedAccountStopsTheProviderUntilAnOperatorResumesIt() {
    runner.read(pause(limited(RESET)));
    LedgerEntry.Pause empty = pause(limited(null, LedgerEntry.Pause.exhausted("no credit")));
    assertThat(empty.accountExhausted()).isTrue();
    assertThat(empty.seen()).isEqualTo(runner.next() - 1);

    // Another entry comes first, so this one has no effect and is repeated with what was seen.
    runner.readAt(
        Instant.EPOCH,
        new LedgerEntry.Pause(
            "provider:somebody", RESET.plusSeconds(9), runner.next() - 1, "r9", "limit"));
    runner.read(empty);
    runner.taken();
    runner.passAndTick(OneRunner.TIMES.retry());
    LedgerEntry.Pause again = runner.appended(LedgerEntry.Pause.class).getFirst();
    assertThat(again.until()).isNull();
    runner.read(again);
    runner.wants(candidate("r2", "2"));
    runner.taken();
    runner.passAndTick(Duration.ofDays(2));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();

    String scope = "provider:somebody";
    long seen = runner.participant().ledger().lastOperator(scope);
    runner.readAt(RESET, new LedgerEntry.Resume(scope, seen, "ann", "paid"));
    runner.passAndTick(Duration.ofSeconds(3));
    assertThat(runner.taken())
        .filteredOn(Step.Append.class::isInstance)
        .extracting(step -> ((Step.Append) step).entry())
        .hasOnlyElementsOfType(LedgerEntry.Claim.class)
        .hasSize(1);
  }

  @Test
  void noSessionIsClaimedWhileThePauseOfItsProviderIsOnItsWay() {
    limited(RESET);
    runner.wants(candidate("r2", "2"));

    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
  }

  @Test
  void aProviderThatRefusesAgainAndAgainIsPausedLongerEachTimeUntilASessionOfItCompletes() {
    runner.readAt(Instant.EPOCH, claimOf("theirs", "r9", "9"));
    var lengths = new ArrayList<Duration>();
    for (int i = 0; i < 9; i++) {
      LedgerEntry.Pause pause = refusedForAMinute();
      lengths.add(Duration.between(runner.ledgerNow(), pause.until()));
      runner.readAt(Objects.requireNonNull(pause.until()), pause);
    }
    assertThat(lengths)
        .extracting(Duration::toMinutes)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);

    runner.readAt(runner.ledgerNow(), OneRunner.releaseOf("theirs"));
    LedgerEntry.Pause first = refusedForAMinute();
    assertThat(Duration.between(runner.ledgerNow(), first.until())).hasMinutes(1);
  }

  @ParameterizedTest(name = "reset at {0} s: paused for {1} s")
  @CsvSource({"0, 60", "86400, 60", "90000, 3600", "1099511627776, 691200"})
  @DisplayName("a pause lies between a minute and 8 days of the broker's clock, whatever it names")
  void aPauseIsBoundedByTheBrokersClock(long reset, long paused) {
    var broker = Instant.EPOCH.plus(Duration.ofDays(1));
    runner.readAt(broker, claimOf("theirs", "r9", "9"));

    LedgerEntry.Pause pause = pause(limited(Instant.ofEpochSecond(reset)));

    assertThat(Duration.between(broker, pause.until()))
        .isBetween(Duration.ofSeconds(paused), Duration.ofSeconds(paused + 30));
  }

  @Test
  void afterTheResetTheFirstSessionGoesAloneUntilItAnswers() {
    LedgerEntry.Claim first = firstAfterTheReset();
    runner.wants(candidate("r2", "2"));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();

    renewal(first, 0);
    runner.passAndTick(Duration.ofSeconds(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).as("renewed, but silent").isEmpty();

    renewal(first, 1);
    runner.passAndTick(Duration.ofMillis(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void anAgentThatSaysItsUsageOnlyAtItsEndIsWaitedForALease() {
    firstAfterTheReset();
    runner.wants(candidate("r2", "2"));
    runner.passAndTick(OneRunner.TIMES.lease().minusMillis(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();

    runner.passAndTick(Duration.ofMillis(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aSessionOfAnotherRunnerIsWaitedForAsWell() {
    paused();
    runner.readAt(RESET, claimOf("theirs", "r9", "9"));
    runner.wants(candidate("r2", "2"));

    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
  }

  @Test
  void ofTwoRunnersThatSawTheSameTheSecondDoesNotStart() {
    paused();
    runner.readAt(RESET, pauseOf("another"));
    runner.wants(candidate("r2", "2"));
    LedgerEntry.Claim mine = runner.claim();
    runner.readAt(RESET, claimOf("theirs", "r9", "9"));
    runner.readAt(RESET, mine);

    List<Step> steps = runner.taken();
    assertThat(steps).noneMatch(Step.Start.class::isInstance);
    assertThat(steps)
        .filteredOn(Step.Unstarted.class::isInstance)
        .singleElement()
        .satisfies(
            step -> assertThat(((Step.Unstarted) step).outcome()).isEqualTo(Outcome.INTERRUPTED));
  }

  @Test
  void aSessionThatRanBeforeTheRejectionIsNotWaitedFor() {
    runner.readAt(Instant.EPOCH, claimOf("before", "r9", "9"));
    paused();
    runner.readAt(RESET, pauseOf("another"));
    runner.wants(candidate("r2", "2"));

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void longAfterTheResetAndForOtherProvidersNothingWaits() {
    firstAfterTheReset();
    runner.pass(OneRunner.TIMES.stagger());
    runner.wants(OneRunner.claimOf("r2", new Position(0, 10), item("2"), "other"));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);

    OneRunner late = OneRunner.ready(3);
    late.readAt(Instant.EPOCH, pauseOf("somebody"));
    Instant after = RESET.plus(ProviderReturn.CAREFUL_FOR);
    late.readAt(after, claimOf("theirs", "r9", "9"));
    late.wants(candidate("r2", "2"));
    assertThat(late.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aProviderThatAnOperatorResumesReturnsImmediately() {
    firstAfterTheReset();
    String scope = "provider:somebody";
    long seen = runner.participant().ledger().lastOperator(scope);
    runner.readAt(RESET, new LedgerEntry.Resume(scope, seen, "ann", "it works again"));
    runner.pass(OneRunner.TIMES.stagger());
    runner.wants(candidate("r2", "2"));

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  private void paused() {
    runner.readAt(Instant.EPOCH, pauseOf("somebody"));
    runner.taken();
  }

  /** The first claim took effect right at the reset. */
  private LedgerEntry.Claim firstAfterTheReset() {
    paused();
    runner.readAt(RESET, pauseOf("another"));
    runner.wants(candidate("r1", "1"));
    LedgerEntry.Claim first = runner.claim();
    runner.readAt(RESET, first);
    assertThat(runner.taken()).anyMatch(Step.Start.class::isInstance);
    return first;
  }

  private void renewal(LedgerEntry.Claim of, long tokens) {
    runner.readAt(
        RESET, new LedgerEntry.Renew(99, List.of(new LedgerEntry.Usage(of.session(), tokens, 0))));
  }

  private static LedgerEntry.Pause pauseOf(String provider) {
    return new LedgerEntry.Pause("provider:" + provider, RESET, -1, "r9", "provider limit");
  }

  private static LedgerEntry.Claim claimOf(String session, String request, String item) {
    return new LedgerEntry.Claim(
        request, new Position(0, 10), 11, item(item), 1, session, "other", "somebody", 1, 0);
  }

  private static LedgerEntry.Claim candidate(String request, String item) {
    return OneRunner.claimOf(request, new Position(0, 10), item(item), "somebody");
  }

  private static ItemKey item(String id) {
    return ItemKey.parse("acme/web/" + id);
  }

  private List<Step> limited(Instant until) {
    return limited(until, "provider limit");
  }

  private LedgerEntry.Pause refusedForAMinute() {
    runner.pass(OneRunner.TIMES.retry());
    return pause(
        runner
            .participant()
            .providerLimited(
                "somebody", now -> now.plusSeconds(60), "provider limit", runner.now()));
  }

  private List<Step> limited(@Nullable Instant until, String why) {
    // What was asked before is answered by the ledger or repeated here.
    runner.pass(OneRunner.TIMES.retry());
    return runner
        .participant()
        .providerLimited("somebody", until == null ? null : _ -> until, why, runner.now());
  }

  private static LedgerEntry.Pause pause(List<Step> steps) {
    assertThat(steps).hasSize(1);
    return (LedgerEntry.Pause) ((Step.Append) steps.getFirst()).entry();
  }
}
