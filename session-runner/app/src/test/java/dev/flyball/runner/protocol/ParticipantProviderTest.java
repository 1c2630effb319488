package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.ProviderReturn;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A provider that refuses one runner's session refuses everybody's (T6). */
class ParticipantProviderTest {
  private static final Instant RESET = Instant.EPOCH.plusSeconds(3600);
  private static final String SCOPE = "provider:somebody";
  private static final String LIMIT = "provider limit";
  private static final Position AT = OneRunner.CANDIDATE.requestAt();

  private final OneRunner runner = OneRunner.ready(3);

  @Test
  void aRefusalPausesTheProvidersScopeAndIsRepeatedUntilTheLedgerShowsIt() {
    LedgerEntry.Pause pause = pause(limited(RESET));
    assertThat(pause).isEqualTo(new LedgerEntry.Pause(SCOPE, RESET, -1, "me", LIMIT));
    runner.wants(candidate(2));
    assertThat(runner.taken()).as("no claim while it is on its way").isEmpty();
    assertThat(runner.until(LedgerEntry.Pause.class)).isEqualTo(OneRunner.TIMES.retry());
    assertThat(runner.taken())
        .as("no claim while it is on its way")
        .containsExactly(new Step.Append(pause));

    runner.read(pause);
    runner.passAndTick(OneRunner.TIMES.retry());
    assertThat(runner.taken()).isEmpty();
  }

  @Test
  void onlyALaterResetIsPausedForAgainWithTheEntryThatItHasSeen() {
    LedgerEntry.Pause first = pause(limited(RESET));
    assertThat(pause(limited(RESET.minusSeconds(1)))).as("on its way").isEqualTo(first);
    runner.read(first);
    long seen = runner.next() - 1;
    assertThat(limited(RESET)).isEmpty();
    assertThat(limited(RESET.minusSeconds(1))).isEmpty();
    Instant later = RESET.plusSeconds(1);
    assertThat(pause(limited(later)))
        .isEqualTo(new LedgerEntry.Pause(SCOPE, later, seen, "me", LIMIT));
  }

  @Test
  void anOperatorsEntryThatComesFirstEndsTheRepetitionOfAPauseWithAnEnd() {
    limited(RESET);
    runner.read(new LedgerEntry.Pause(SCOPE, null, -1, "ann", "x"));
    runner.read(new LedgerEntry.Resume(SCOPE, runner.next() - 1, "ann", "y"));
    runner.passAndTick(OneRunner.TIMES.retry());

    assertThat(runner.taken()).isEmpty();
  }

  @Test
  void anExhaustedAccountStopsTheProviderUntilAnOperatorResumesIt() {
    runner.read(pause(limited(RESET)));
    LedgerEntry.Pause empty = pause(limited(null, LedgerEntry.Pause.exhausted("no credit")));
    assertThat(empty.accountExhausted()).isTrue();
    assertThat(empty.seen()).isEqualTo(runner.next() - 1);

    // Another entry comes first, so this one has no effect and is repeated with what was seen.
    long seen = runner.next() - 1;
    runner.read(new LedgerEntry.Pause(SCOPE, RESET.plusSeconds(9), seen, "r9", "limit"));
    runner.read(empty);
    runner.passAndTick(OneRunner.TIMES.retry());
    LedgerEntry.Pause again = runner.one(LedgerEntry.Pause.class);
    assertThat(again.until()).isNull();
    runner.read(again);
    runner.wants(candidate(2));
    runner.passAndTick(Duration.ofDays(2));
    assertThat(runner.taken()).isEmpty();

    resumed();
    assertThat(runner.until(LedgerEntry.Claim.class)).isZero();
    assertThat(runner.taken()).hasSize(1);
  }

  @Test
  void aProviderThatRefusesAgainAndAgainIsPausedLongerEachTimeUntilASessionOfItCompletes() {
    runner.read(theirs("completes", 8));
    runner.read(theirs("fails", 9));
    var lengths = new ArrayList<Duration>();
    for (int i = 0; i < 9; i++) {
      LedgerEntry.Pause pause = refusedForAMinute();
      lengths.add(Duration.between(runner.ledgerNow(), pause.until()));
      Instant until = Objects.requireNonNull(pause.until());
      runner.readAt(until, pause);
      runner.readAt(until, new LedgerEntry.Pause(SCOPE, RESET, -1, "late", "no effect"));
      runner.readAt(until, OneRunner.releaseOf("fails", Outcome.FAILED));
    }
    assertThat(lengths)
        .extracting(Duration::toMinutes)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);

    runner.readAt(runner.ledgerNow(), OneRunner.releaseOf("completes"));
    LedgerEntry.Pause first = refusedForAMinute();
    assertThat(Duration.between(runner.ledgerNow(), first.until())).hasMinutes(1);
  }

  @ParameterizedTest(name = "reset at {0} s: paused for {1} s")
  @CsvSource({"0, 60", "86400, 60", "90000, 3600", "1099511627776, 691200"})
  @DisplayName("a pause lies between a minute and 8 days of the broker's clock, whatever it names")
  void aPauseIsBoundedByTheBrokersClock(long reset, long paused) {
    var broker = Instant.EPOCH.plus(Duration.ofDays(1));
    runner.readAt(broker, theirs("theirs", 9));

    LedgerEntry.Pause pause = pause(limited(Instant.ofEpochSecond(reset)));

    assertThat(Duration.between(broker, pause.until()))
        .isBetween(Duration.ofSeconds(paused), Duration.ofSeconds(paused + 30));
  }

  @Test
  void afterTheResetTheFirstSessionGoesAloneUntilItAnswers() {
    LedgerEntry.Claim first = firstAfterTheReset();
    runner.wants(candidate(2));
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
    runner.wants(candidate(2));
    runner.passAndTick(OneRunner.TIMES.lease().minusMillis(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
    runner.passAndTick(Duration.ofMillis(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void ofTwoRunnersThatSawTheSameTheSecondDoesNotStart() {
    paused();
    runner.readAt(RESET, pauseOf("another"));
    runner.wants(candidate(2));
    LedgerEntry.Claim mine = runner.claim();
    runner.readAt(RESET, theirs("theirs", 9));
    runner.readAt(RESET, mine);

    List<Step> steps = runner.taken();
    assertThat(steps)
        .noneMatch(Step.Start.class::isInstance)
        .anyMatch(
            step -> step instanceof Step.Unstarted not && not.outcome() == Outcome.INTERRUPTED);
  }

  @ParameterizedTest(name = "it ran before the rejection: {0}")
  @CsvSource({"true, 1", "false, 0"})
  void aSessionOfAnotherRunnerIsWaitedForUnlessItRanBefore(boolean before, int claims) {
    LedgerEntry.Claim theirs = theirs("theirs", 9);
    runner.read(before ? theirs : pauseOf("another"));
    paused();
    runner.readAt(RESET, before ? pauseOf("another") : theirs);
    runner.wants(candidate(2));

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(claims);
  }

  @Test
  void longAfterTheResetAndForOtherProvidersNothingWaits() {
    firstAfterTheReset();
    runner.pass(OneRunner.TIMES.stagger());
    runner.wants(OneRunner.candidate(2, AT, "other"));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);

    OneRunner late = OneRunner.ready(3);
    late.read(pauseOf("somebody"));
    Instant after = RESET.plus(ProviderReturn.CAREFUL_FOR);
    late.readAt(after, theirs("theirs", 9));
    late.wants(candidate(2));
    assertThat(late.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aProviderThatAnOperatorResumesReturnsImmediately() {
    firstAfterTheReset();
    resumed();
    runner.pass(OneRunner.TIMES.stagger());
    runner.wants(candidate(2));

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  private void resumed() {
    long seen = runner.participant().ledger().lastOperator(SCOPE);
    runner.readAt(RESET, new LedgerEntry.Resume(SCOPE, seen, "ann", "it works again"));
  }

  private void paused() {
    runner.read(pauseOf("somebody"));
    runner.taken();
  }

  /** The first claim took effect right at the reset. */
  private LedgerEntry.Claim firstAfterTheReset() {
    paused();
    runner.readAt(RESET, pauseOf("another"));
    runner.wants(candidate(1));
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
    return new LedgerEntry.Pause("provider:" + provider, RESET, -1, "r9", LIMIT);
  }

  private static LedgerEntry.Claim theirs(String session, int number) {
    return OneRunner.othersClaim(session, number, "other", "somebody");
  }

  private static LedgerEntry.Claim candidate(int number) {
    return OneRunner.candidate(number, AT, "somebody");
  }

  private LedgerEntry.Pause refusedForAMinute() {
    return pause(limited(now -> now.plusSeconds(60), LIMIT));
  }

  private List<Step> limited(Instant until) {
    return limited(_ -> until, LIMIT);
  }

  private List<Step> limited(@Nullable UnaryOperator<Instant> until, String why) {
    // What was asked before is answered by the ledger or repeated here.
    runner.pass(OneRunner.TIMES.retry());
    return runner.participant().providerLimited("somebody", until, why, runner.now());
  }

  private static LedgerEntry.Pause pause(List<Step> steps) {
    assertThat(steps).hasSize(1);
    return (LedgerEntry.Pause) ((Step.Append) steps.getFirst()).entry();
  }
}
