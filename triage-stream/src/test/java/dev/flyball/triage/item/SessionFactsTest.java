package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.item.Input.SessionRef;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an item keeps of its sessions, and whose word about their ends applies. */
final class SessionFactsTest {
  private final ItemStory story = new ItemStory();

  @ParameterizedTest
  @EnumSource(
      value = Outcome.class,
      names = {"CANCELLED", "TIMED_OUT", "INTERRUPTED", "FAILED"})
  void anAnswerDoesNotOverruleWhatTheRunnerReleased(Outcome outcome) {
    story.queued("a");
    SessionRef session = story.claimed();

    story.result(session).released(session, outcome, "because");

    assertThat(story.count(EventType.terminalOf(outcome))).isEqualTo(1);
    assertThat(story.count(SESSION_COMPLETED)).isZero();
    assertThat(story.all()).noneMatch(TriageEffect.Publish.class::isInstance);
  }

  @Test
  void afterTheLedgerWasMadeAgainItsFirstOffsetsAreNews() {
    story.queued("a");
    for (int i = 0; i < 3; i++) {
      story.session(Outcome.INTERRUPTED, "runner shuts down");
      if (story.phase() instanceof ItemPhase.Failed) {
        story.due();
      }
    }
    var session = new SessionRef("other", new Token("L2", 1), story.request().request());

    story.step(
        new Input.SessionClaimed(
            story.origin("flyball.session-events"), session, "r1", story.now()));
    story.result(session).released(session, Outcome.COMPLETED, "done");

    assertThat(story.phase()).isEqualTo(new ItemPhase.Analyzed("other"));
    assertThat(story.count(SESSION_COMPLETED)).isEqualTo(1);
  }

  @Test
  void aTerminalRepeatsWhatWasSeenOfItsSession() {
    story.queued("a").after(Duration.ofSeconds(4));
    SessionRef session = story.claimed();
    story.after(Duration.ofSeconds(1));
    observed(session, true, EventData.EMPTY.with(Field.PID, 42L).with(Field.LEVEL, "A"));
    story.after(Duration.ofSeconds(1));
    observed(session, false, EventData.EMPTY.with(Field.AGENT_SESSION, "abc"));
    story.after(Duration.ofSeconds(60)).expired(session);

    EventData lost = story.event(SESSION_LOST).data();
    assertThat(lost.number(Field.PID)).hasValue(42);
    assertThat(lost.text(Field.LEVEL)).hasValue("A");
    assertThat(lost.text(Field.AGENT_SESSION)).hasValue("abc");
    assertThat(lost.number(Field.WAITING_MS)).hasValue(5_000);
    assertThat(lost.number(Field.RUNNING_MS)).hasValue(61_000);
    assertThat(lost.number(Field.REPORTING_MS)).hasValue(0);
  }

  @Test
  void aSessionThatWasNeverSeenToStartRanForNoTime() {
    story.queued("a").after(Duration.ofSeconds(4));
    SessionRef session = story.claimed();
    story.after(Duration.ofSeconds(60)).expired(session);

    EventData lost = story.event(SESSION_LOST).data();
    assertThat(lost.number(Field.WAITING_MS)).hasValue(4_000);
    assertThat(lost.number(Field.RUNNING_MS)).hasValue(0);
  }

  @Test
  void theLastFiveSessionsAreKeptNewestFirst() {
    story.queued("a");
    for (int i = 0; i < 6; i++) {
      story.session(Outcome.INTERRUPTED, "runner shuts down");
      if (story.phase() instanceof ItemPhase.Failed) {
        story.due();
      }
    }

    assertThat(story.known().sessions())
        .extracting(ItemState.SessionNote::session)
        .containsExactly("s6", "s5", "s4", "s3", "s2");
    assertThat(story.known().sessions().getFirst().outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(story.known().spentTokens()).isEqualTo(6 * 70);
  }

  @Test
  void anOperatorsRetryKeepsWhatTheClassifierSaid() {
    story.seen(snapshot("a"));
    String question = ((ItemPhase.Triaging) story.phase()).triage();
    story.verdict(
        new Verdict(question, true, 4, List.of("core"), 1, "names a class", "m", "b1", 0, null));
    story.failed(Failure.Kind.POISON, "too long").command("retry");

    assertThat(story.request().priority()).isEqualTo(1);
    assertThat(story.request().verdict().modules()).containsExactly("core");
    assertThat(story.request().verdict().complexity()).isEqualTo(4);
    assertThat(story.request().verdict().reason()).isEqualTo("names a class");
  }

  @Test
  void aCommandThatComesAgainAfterOthersIsNotObeyedTwice() {
    story.brought("dead").command("retry", "first").command("cancel", "second");

    story.command("retry", "first");

    assertThat(story.lastTypes()).containsExactly(COMMAND_REFUSED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Cancelled.class);
  }

  @Test
  void everyEventNamesItsItemAndTenant() {
    story.queued("a").session(Outcome.COMPLETED, "done");

    assertThat(story.events())
        .extracting(LifecycleEvent::subject)
        .containsOnly(ItemStory.KEY.toString());
    assertThat(story.events())
        .allMatch(it -> it.data().text(Field.TENANT).orElse("").equals("acme"));
  }

  private void observed(SessionRef session, boolean spawned, EventData data) {
    story.step(
        new Input.SessionObserved(
            story.origin("flyball.session-events"), session, spawned, story.now(), data));
  }
}
