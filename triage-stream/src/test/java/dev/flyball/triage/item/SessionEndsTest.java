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
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.item.Input.SessionRef;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("INV-6, INV-7, S0-50: what a session's end does, and what its item keeps of it")
final class SessionEndsTest {
  private final ItemStory story = new ItemStory();

  // What is read, by ItemStory.reads, and how it ends, by ItemStory.ends.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # the first end, by outcome; only a completed one with an answer writes an analysis
          a YES CLAIM RESULT             |                               | running a   | a
          a YES CLAIM DONE               | completed ANALYSIS            | analyzed a  |
          a YES CLAIM COMPLETED          | failed deferred               | failed a    |
          a YES CLAIM FAILED             | failed deferred               | failed a    |
          a YES CLAIM TIMED_OUT          | timedOut deferred             | failed a    |
          a YES CLAIM CANCELLED          | cancelled cancelled           | cancelled a |
          a YES CLAIM INTERRUPTED        | interrupted requested         | queued a    | a/2
          a YES CLAIM LOST               | lost requested                | queued a    | a/2
          a YES CLAIM FAILED DUE         | requested                     | queued a    | a/2
          # an answer does not overrule what the runner released, but is the outcome of an expiry
          a YES CLAIM RESULT FAILED      | failed deferred               | failed a    |
          a YES CLAIM RESULT TIMED_OUT   | timedOut deferred             | failed a    |
          a YES CLAIM RESULT CANCELLED   | cancelled cancelled           | cancelled a |
          a YES CLAIM RESULT INTERRUPTED | interrupted requested         | queued a    | a/2
          a YES CLAIM RESULT EXPIRED     | completed ANALYSIS            | analyzed a  |
          # T11: after its terminal it is only told
          a YES CLAIM EXPIRED RESULT     | lateResult                    | queued a    | a/2
          # a mark that is read twice makes one terminal
          a YES CLAIM EXPIRED EXPIRED    |                               | queued a    | a/2
          # a claim of a request that is no longer wanted gets its terminal too
          a YES b YES LATE               |                               | queued b    | b
          a YES b YES LATE CANCELLED     | cancelled                     | queued b    | b
          """)
  void anEndDecides(String read, @Nullable String effects, String phase, @Nullable String request) {
    story.reads(read).ends(effects, phase, request);
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

  @Test
  void aClaimForAnUnknownItemGetsItsTerminal() {
    SessionRef session = story.claimed("nobody-asked");
    story.released(session, Outcome.INTERRUPTED, "late claim");
    assertThat(story.lastTypes()).containsExactly(SESSION_INTERRUPTED);
    assertThat(story.item().state()).isNull();
  }

  @Test
  void afterTheLedgerWasMadeAgainItsFirstOffsetsAreNews() {
    story.queued("a");
    for (int i = 0; i < 3; i++) {
      story.session(Outcome.INTERRUPTED, "runner shuts down").dueIfDeferred();
    }
    var session = new SessionRef("other", new Token("L2", 1), story.request().request());

    story.reported(session, SESSION_CLAIMED, EventData.EMPTY.with(Field.RUNNER, "r1"));
    story.result(session).released(session, Outcome.COMPLETED, "done");

    assertThat(story.phase()).isEqualTo(new ItemPhase.Analyzed("other"));
    assertThat(story.count(SESSION_COMPLETED)).isEqualTo(1);
  }

  @Test
  void aTerminalRepeatsWhatWasSeenOfItsSession() {
    story.queued("a").after(Duration.ofSeconds(4));
    SessionRef session = story.claimed();
    story.after(Duration.ofSeconds(1));
    story.reported(
        session, SESSION_SPAWNED, EventData.EMPTY.with(Field.PID, 42L).with(Field.LEVEL, "A"));
    story.after(Duration.ofSeconds(1));
    story.observed(session, EventData.EMPTY.with(Field.AGENT_SESSION, "abc"));
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
      story.session(Outcome.INTERRUPTED, "runner shuts down").dueIfDeferred();
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
    String question = story.questions().getLast();
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
}
