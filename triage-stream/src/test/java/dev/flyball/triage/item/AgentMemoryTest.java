package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.ITEM_ROTATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.AgentRuns.End;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What an item remembers of its agent's sessions")
final class AgentMemoryTest {
  private final ItemStory story = new ItemStory();
  private final AgentRuns runs = new AgentRuns(story);

  @Test
  void theNextSessionResumesTheOneThatAnswered() {
    story.queued("a");
    assertThat(story.request().resume()).isNull();
    runs.answers("agent-1");

    story.seen(ItemStory.snapshot("b")).verdict(true);

    AgentSession resume = resumed();
    assertThat(resume.id()).isEqualTo("agent-1");
    assertThat(resume.home()).isEqualTo("r1");
    assertThat(resume.agent()).isEqualTo("claude");
    assertThat(resume.runs()).isEqualTo(1);
    assertThat(resume.used()).isEqualTo(new TokenCount(10, 20, 30));
    assertThat(story.count(ITEM_ROTATED)).isZero();
  }

  @Test
  @DisplayName("the totals of many sessions need no note of each of them")
  void totalsAreCarried() {
    story.queued("a");
    runs.answers("agent-1");
    for (int i = 0; i < 20; i++) {
      story.seen(ItemStory.snapshot("b" + i)).verdict(true);
      runs.answers("agent-1");
    }

    AgentSession known = Objects.requireNonNull(story.known().agentSession());
    assertThat(known.runs()).isEqualTo(21);
    assertThat(known.used()).isEqualTo(new TokenCount(210, 420, 630));
    assertThat(story.known().sessions()).hasSize(5);
  }

  @Test
  @DisplayName("S3-6, S3-12, S3-13: dead sessions rotate; the next one is told why, with a summary")
  void deadSessionsRotate() {
    known("agent-1");
    for (int i = 0; i < 3; i++) {
      assertThat(story.request().resume()).as("attempt " + i).isNotNull();
      runs.ends(End.NOTHING_DONE);
      story.dueIfDeferred();
    }

    SessionRequest fresh = story.request();
    Handover handover = Objects.requireNonNull(fresh.handover());
    assertThat(fresh.resume()).isNull();
    assertThat(handover.warning())
        .isEqualTo(
            "Starting a fresh session because 3 consecutive failed zero-token reused runs on"
                + " persisted session agent-1.");
    assertThat(handover.previous()).isEqualTo("agent-1");
    assertThat(handover.previousRun()).isEqualTo("s4");
    assertThat(handover.summary()).isEqualTo("answer of s1");
    LifecycleEvent rotated = story.event(ITEM_ROTATED);
    assertThat(rotated.data().text(Field.PREVIOUS_SESSION)).contains("agent-1");
    assertThat(rotated.data().text(Field.PREVIOUS_RUN)).contains("s4");
    assertThat(story.known().agentSession()).isNull();
  }

  @Test
  @DisplayName("dead sessions use up no attempt: they say nothing about the item")
  void deadSessionsUseUpNoAttempt() {
    known("agent-1");
    for (int i = 0; i < 3; i++) {
      runs.ends(End.NOTHING_DONE);
      story.dueIfDeferred();
    }
    for (int i = 0; i < 2; i++) {
      runs.ends(End.CRASHED);
      story.dueIfDeferred();
    }

    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    runs.ends(End.CRASHED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit-code", "signal", "runner-fault", "not-started"})
  @DisplayName("a failure that any session would meet costs one start each, and no memory")
  void unrelatedFailuresDoNotMultiplyStarts(String code) {
    known("agent-1");
    long before = story.count(EventType.SESSION_REQUESTED);

    for (int i = 0; i < 3; i++) {
      assertThat(story.request().resume() != null).as("only the first resumes").isEqualTo(i == 0);
      runs.fails(new Failure(Failure.Kind.TRANSIENT, code));
      story.dueIfDeferred();
    }

    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
    assertThat(story.count(EventType.SESSION_REQUESTED)).isEqualTo(before + 2);
    assertThat(story.count(ITEM_ROTATED)).isZero();
    story.command("retry");
    assertThat(resumed().id()).isEqualTo("agent-1");
  }

  @Test
  @DisplayName("fresh sessions that fail without a token are started as often as attempts allow")
  void emptyConversationsAreNotResumed() {
    story.queued("a");

    for (int i = 0; i < 3; i++) {
      assertThat(story.request().resume()).isNull();
      runs.ends(End.NOTHING_DONE);
      story.dueIfDeferred();
    }

    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
    assertThat(story.count(EventType.SESSION_REQUESTED)).isEqualTo(3);
  }

  @Test
  @DisplayName("a broken runner that had to start fresh does not cost the memory of another one")
  void aFreshSessionThatSaidNothingReplacesNothing() {
    known("agent-1");

    runs.release(
        runs.started("agent-2", false, "r2"),
        Outcome.INTERRUPTED,
        new Failure(Failure.Kind.RUNNER, "agent-login"),
        0,
        Receipt.unknown());

    assertThat(resumed().id()).isEqualTo("agent-1");
    assertThat(story.count(ITEM_ROTATED)).isZero();
  }

  @ParameterizedTest
  @CsvSource({"PERMANENT, invalid-request", "POISON, prompt-too-long"})
  @DisplayName("T5: a conversation that the model rejects is left, within the same attempt")
  void aConversationThatCannotGoOn(Failure.Kind kind, String code) {
    known("agent-1");
    int attempt = story.request().attempt();

    runs.fails(new Failure(kind, code));

    assertThat(story.request().resume()).isNull();
    assertThat(story.count(ITEM_ROTATED)).isEqualTo(1);
    assertThat(story.request().attempt()).isEqualTo(attempt + 1);
    assertThat(((ItemPhase.Queued) story.phase()).outstanding().attempts().failures()).isZero();
    runs.answers("agent-2");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Analyzed.class);

    var fresh = new ItemStory();
    fresh.queued("a");
    new AgentRuns(fresh).fails(new Failure(kind, code));
    assertThat(fresh.phase())
        .as("of a fresh one it is the item's own")
        .isInstanceOf(ItemPhase.Dead.class);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ANSWERED,        resumed",
    "ANSWERED_KILLED, resumed",
    "ERROR,           resumed",
    "INTERRUPTED_INT, resumed",
    "NOT_STARTED,     resumed",
    "KILLED,          rotated",
    "KILLED_UNSEEN,   rotated",
    "STALLED,         rotated",
    "SIGNALLED,       rotated",
    "LOST,            rotated",
    "UNKNOWN,         rotated",
    "SILENT,          rotated",
  })
  @DisplayName("Quarantine: what was ended in the middle of a turn is not resumed")
  void theEndDecides(End end, String next) {
    known("agent-1");

    runs.ends(end);
    if (story.phase() instanceof ItemPhase.Analyzed) {
      story.seen(ItemStory.snapshot("c")).verdict(true);
    } else {
      story.dueIfDeferred();
    }

    boolean resumed = story.request().resume() != null;
    assertThat(resumed ? "resumed" : "rotated").isEqualTo(next);
    assertThat(story.count(ITEM_ROTATED)).isEqualTo(resumed ? 0 : 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"no session", "its session", "its session, after the item was forgotten"})
  @DisplayName("S3-10: after a rotation nothing that the agent reports brings the session back")
  void aRotatedSessionIsRefused(String reported) {
    rotated("agent-1");
    if (reported.equals("no session")) {
      runs.endsWithoutId(Outcome.COMPLETED);
    } else {
      if (reported.contains("forgotten")) {
        story.command("forget").queued("d");
      }
      runs.answers("agent-1");
    }
    story.seen(ItemStory.snapshot("e")).verdict(true);

    assertThat(story.request().resume()).isNull();
    assertThat(story.known().agentSession()).isNull();
  }

  @Test
  void theReasonIsToldUntilAnAgentSessionHasHeardIt() {
    rotated("agent-1");
    runs.ends(End.NOT_STARTED);
    story.dueIfDeferred();
    assertThat(Objects.requireNonNull(story.request().handover()).reason()).isNotNull();

    runs.answers("agent-2");
    story.seen(ItemStory.snapshot("c")).verdict(true);

    assertThat(resumed().id()).isEqualTo("agent-2");
    assertThat(Objects.requireNonNull(story.request().handover()).reason()).isNull();
  }

  @Test
  @DisplayName("a runner without the agent's session starts fresh; the old one is rotated then")
  void anotherHomeStartsFresh() {
    known("agent-1");

    runs.startsFresh("agent-2", "r2");
    story.seen(ItemStory.snapshot("c")).verdict(true);

    AgentSession resume = resumed();
    assertThat(resume.id()).isEqualTo("agent-2");
    assertThat(resume.home()).isEqualTo("r2");
    assertThat(story.event(ITEM_ROTATED).data().text(Field.REASON)).contains(Handover.HOME_MISSING);
  }

  @Test
  @DisplayName("an agent that gives a resumed session a new id is known by that, as old as before")
  void aRenamedSession() {
    known("agent-1");

    runs.resumesAs("agent-9");
    story.seen(ItemStory.snapshot("c")).verdict(true);

    AgentSession resume = resumed();
    assertThat(resume.id()).isEqualTo("agent-9");
    assertThat(resume.runs()).isEqualTo(2);
    assertThat(resume.used()).isEqualTo(new TokenCount(20, 40, 60));
  }

  @Test
  void anAgentWithoutResumableSessionsIsAlwaysFresh() {
    story.queued("a");
    var ref = story.claimed();
    story.observed(
        ref, EventData.EMPTY.with(Field.AGENT, "scout").with(Field.AGENT_SESSION, ref.session()));
    story.result(ref).released(ref, Outcome.COMPLETED, "done");
    story.seen(ItemStory.snapshot("b")).verdict(true);

    assertThat(story.request().resume()).isNull();
    assertThat(story.known().handover()).isNull();
  }

  @Test
  @DisplayName("a session that may still run is not resumed by a second one")
  void noTwoOwners() {
    known("agent-1");
    var running = story.claimed();
    story.command("cancel");
    story.command("retry");

    assertThat(story.request().request()).isNotEqualTo(running.request());
    assertThat(story.request().resume()).isNull();
  }

  @Test
  @DisplayName("S3-9: dead sessions of one tenant rotate nothing of another, whatever the ids")
  void tenantsAreApart() {
    var other = new ItemStory(ItemKey.parse("globex/items/1"));
    var others = new AgentRuns(other);
    known("agent-1");
    other.queued("a");
    others.answers("agent-1");
    other.seen(ItemStory.snapshot("b")).verdict(true);
    for (int i = 0; i < 3; i++) {
      runs.ends(End.NOTHING_DONE);
      story.dueIfDeferred();
    }

    assertThat(story.request().resume()).isNull();
    assertThat(Objects.requireNonNull(other.request().resume()).id()).isEqualTo("agent-1");
    assertThat(other.item().memory().refused("agent-1")).isFalse();
  }

  @Test
  @DisplayName("a failure that no retry can fix ends the item, resumed or not")
  void aPermanentFailureStaysOne() {
    known("agent-1");

    runs.fails(new Failure(Failure.Kind.PERMANENT, "authentication-failed"));

    assertThat(story.phase()).isInstanceOf(ItemPhase.Dead.class);
  }

  /** An item whose request resumes this agent session. */
  private void known(String agentSession) {
    story.queued("a");
    runs.answers(agentSession);
    story.seen(ItemStory.snapshot("b")).verdict(true);
  }

  /** An item whose request is fresh, because this agent session was rotated. */
  private void rotated(String agentSession) {
    known(agentSession);
    runs.ends(End.UNKNOWN);
    assertThat(story.request().resume()).isNull();
  }

  private AgentSession resumed() {
    return Objects.requireNonNull(story.request().resume());
  }
}
