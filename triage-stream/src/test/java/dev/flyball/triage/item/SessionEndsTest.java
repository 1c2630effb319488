package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.Input.SessionRef;
import java.time.Duration;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("INV-6, INV-7, S0-50: what a session's end does")
final class SessionEndsTest {
  private final ItemStory story = new ItemStory();

  @ParameterizedTest
  @CsvSource({
    "COMPLETED, done, analyzed, false",
    "FAILED, exit 1, failed, false",
    "TIMED_OUT, wall clock of 600 s, failed, false",
    "CANCELLED, by an operator, cancelled, false",
    "INTERRUPTED, runner shuts down, queued, true",
    "LOST, lease expired, queued, true",
  })
  void theFirstEndByOutcome(Outcome outcome, String reason, String phase, boolean requested) {
    story.queued("a").session(outcome, reason);
    assertThat(name(story.phase())).isEqualTo(phase);
    assertThat(story.standing() != null).isEqualTo(requested);
    assertThat(story.count(EventType.terminalOf(outcome))).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Outcome.class)
  void everyTerminalCarriesItsTimingsAndItsReceipt(Outcome outcome) {
    story.queued("a").session(outcome, "because");
    LifecycleEvent terminal = story.event(EventType.terminalOf(outcome));
    assertThat(terminal.id()).isEqualTo("s1-end");
    assertThat(terminal.type().required()).allMatch(terminal.data()::has);
    assertThat(terminal.data().number(Field.REPORTING_MS)).hasValue(30);
  }

  @Test
  void onlyACompletedTerminalWritesAnAnalysis() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.result(session);
    assertThat(story.all()).noneMatch(TriageEffect.Publish.class::isInstance);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Running.class);
    story.released(session, Outcome.COMPLETED, "done");
    assertThat(story.last()).hasAtLeastOneElementOfType(TriageEffect.Publish.class);
    assertThat(story.phase()).isEqualTo(new ItemPhase.Analyzed("s1"));
    assertThat(story.known().spentMicros()).isEqualTo(7);
  }

  @Test
  void theTerminalSaysWhetherTheItemDeservedItsSession() {
    story.queued("a");
    SessionRef session = story.claimed();
    EventData figures =
        EventData.EMPTY
            .with(Field.OUTCOME, Outcome.COMPLETED.label())
            .with(Field.DESERVED, "false");

    story.result(session, figures).released(session, Outcome.COMPLETED, "done");

    assertThat(story.event(SESSION_COMPLETED).data().text(Field.DESERVED)).hasValue("false");
  }

  @Test
  void completedWithoutAResultInHandIsAFailure() {
    story.queued("a");
    story.released(story.claimed(), Outcome.COMPLETED, "done");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Failed.class);
    assertThat(story.count(SESSION_FAILED)).isEqualTo(1);
  }

  @Test
  void anExpiryOfASessionWhoseResultIsKnownIsItsOutcome() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.result(session).expired(session);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Analyzed.class);
    assertThat(story.count(SESSION_LOST)).isZero();
  }

  @Test
  void anExpiryWithoutAResultIsLostWithUnknownSurvivors() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.after(Duration.ofSeconds(47)).expired(session);
    LifecycleEvent lost = story.event(SESSION_LOST);
    assertThat(lost.type().required()).allMatch(lost.data()::has);
    assertThat(lost.data().record(Field.RECEIPT, Receipt.class)).hasValue(Receipt.unknown());
  }

  @Test
  void aLostSessionCostsTheItemWhatTheLedgerBookedOrItsResultReportsIfThatIsMore() {
    story.queued("a");
    story.expired(story.claimed(), 600);
    assertThat(story.known().spentMicros()).isEqualTo(600);
    assertThat(story.event(SESSION_LOST).data().number(Field.COST_MICROS)).hasValue(600);

    SessionRef second = story.claimed();
    story.result(second, Outcome.FAILED, 900).expired(second, 600);
    assertThat(story.known().spentMicros()).isEqualTo(1_500);
  }

  @Test
  void aResultMayBeReadBeforeItsClaim() {
    story.queued("a");
    var early = new SessionRef("s1", new Token("L", 1), story.request().request());
    story.result(early);
    SessionRef session = story.claimed();
    story.released(session, Outcome.COMPLETED, "done");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Analyzed.class);
  }

  // T11
  @Test
  void aResultAfterItsTerminalIsOnlyTold() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.expired(session).result(session);
    assertThat(story.lastTypes()).containsExactly(SESSION_LATE_RESULT);
    assertThat(story.all()).noneMatch(TriageEffect.Publish.class::isInstance);
  }

  @Test
  void aClaimOfARequestThatIsNoLongerWantedGetsItsTerminalToo() {
    story.queued("a");
    String old = story.request().request();
    story.seen(snapshot("b")).verdict(true);
    SessionRef session = story.claimed(old);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    story.released(session, Outcome.CANCELLED, "request gone");
    assertThat(story.lastTypes()).containsExactly(SESSION_CANCELLED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    assertThat(story.request().snapshot().text()).isEqualTo("b");
  }

  @Test
  void aClaimForAnUnknownItemGetsItsTerminal() {
    SessionRef session = story.claimed("nobody-asked");
    story.released(session, Outcome.INTERRUPTED, "late claim");
    assertThat(story.lastTypes()).containsExactly(SESSION_INTERRUPTED);
    assertThat(story.item().state()).isNull();
  }

  @Test
  void aMarkThatIsReadTwiceMakesOneTerminal() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.expired(session).expired(session);
    assertThat(story.last()).isEmpty();
    assertThat(story.count(SESSION_LOST)).isEqualTo(1);
  }

  private static String name(ItemPhase phase) {
    return phase.getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }
}
