package dev.flyball.triage.item;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.triage.item.Input.SessionRef;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Sessions of an agent that can resume, as its runner reports them. */
final class AgentRuns {
  private final ItemStory story;

  AgentRuns(ItemStory story) {
    this.story = story;
  }

  /** How a session that was asked to resume ends. */
  enum End {
    ANSWERED,
    /** It had answered, and stayed until it was killed. */
    ANSWERED_KILLED,
    /** The agent reported an error, and exited. */
    ERROR,
    /** INT at a shutdown: the agent ended its turn. */
    INTERRUPTED_INT,
    NOT_STARTED,
    /** TERM or KILL before the turn's end. */
    KILLED,
    /** The same, and the event that says so has not arrived. */
    KILLED_UNSEEN,
    STALLED,
    /** The machine killed it. */
    SIGNALLED,
    LOST,
    /** Failed without one token. */
    NOTHING_DONE,
    /** Failed with tokens, without an answer. */
    CRASHED,
    UNKNOWN,
    SILENT
  }

  /** A session that answers and reports this agent session. */
  void answers(String agentSession) {
    SessionRef ref = started(agentSession, wanted() != null, "r1");
    answered(ref);
  }

  /** A resumed session that reports another id than the one it was asked for. */
  void resumesAs(String agentSession) {
    answered(started(agentSession, true, "r1"));
  }

  /** A session that its runner starts fresh, whatever was asked for. */
  void startsFresh(String agentSession, String home) {
    answered(started(agentSession, false, home));
  }

  /** A session whose agent reports no id. */
  void endsWithoutId(Outcome outcome) {
    SessionRef ref = story.claimed();
    story.observed(ref, facts(null, wanted() != null, "r1"));
    if (outcome == Outcome.COMPLETED) {
      story.result(ref);
    }
    story.released(ref, outcome, "done");
  }

  /** A session that fails like this before its model answered. */
  void fails(Failure failure) {
    release(start(), Outcome.FAILED, failure, 0, exited());
  }

  void ends(End end) {
    if (end == End.NOT_STARTED) {
      release(story.claimed(), Outcome.INTERRUPTED, null, 0, Receipt.notStarted());
      return;
    }
    SessionRef ref = start();
    switch (end) {
      case ANSWERED -> answered(ref);
      case ANSWERED_KILLED -> {
        killed(ref, "ended");
        story.result(ref, used("ended"));
        release(ref, Outcome.COMPLETED, null, 60, killed());
      }
      case ERROR -> release(ref, Outcome.FAILED, transientFailure("agent-error"), 60, exited());
      case INTERRUPTED_INT -> {
        killed(ref, "ended");
        release(ref, Outcome.INTERRUPTED, null, 60, killed());
      }
      case KILLED -> {
        killed(ref, "cut");
        release(ref, Outcome.INTERRUPTED, null, 60, killed());
      }
      case KILLED_UNSEEN -> release(ref, Outcome.INTERRUPTED, null, 60, killed());
      case STALLED -> {
        killed(ref, "cut");
        release(ref, Outcome.TIMED_OUT, transientFailure("silent"), 60, killed());
      }
      case SIGNALLED -> {
        story.observed(ref, EventData.EMPTY.with(Field.TURN, "cut"));
        release(ref, Outcome.FAILED, transientFailure("signal"), 60, exited());
      }
      case LOST -> story.expired(ref);
      case NOTHING_DONE ->
          release(ref, Outcome.FAILED, transientFailure("agent-error"), 0, exited());
      case CRASHED -> release(ref, Outcome.FAILED, transientFailure("exit-code"), 60, exited());
      case UNKNOWN ->
          release(ref, Outcome.FAILED, transientFailure(Failure.UNKNOWN_SESSION), 0, exited());
      case SILENT ->
          release(ref, Outcome.FAILED, transientFailure(Failure.SILENT_SESSION), 0, exited());
      case NOT_STARTED -> throw new IllegalArgumentException(end.name());
    }
  }

  /** Starts what the request asks for. */
  private SessionRef start() {
    AgentSession wanted = wanted();
    return wanted == null
        ? started("agent-of-" + story.request().request(), false, "r1")
        : started(wanted.id(), true, "r1");
  }

  SessionRef started(String agentSession, boolean reused, String home) {
    SessionRef ref = story.claimed();
    story.observed(ref, facts(agentSession, reused, home));
    return ref;
  }

  void answered(SessionRef ref) {
    story.result(ref, used("ended"));
    release(ref, Outcome.COMPLETED, null, 60, exited());
  }

  void release(
      SessionRef ref, Outcome outcome, @Nullable Failure failure, long tokens, Receipt receipt) {
    story.released(
        ref,
        outcome,
        EventData.EMPTY
            .with(Field.FAILURE, failure)
            .with(Field.REASON, "because")
            .with(Field.TOKENS, tokens)
            .with(Field.RECEIPT, receipt));
  }

  private @Nullable AgentSession wanted() {
    SessionRequest standing = story.standing();
    return Objects.requireNonNull(standing).resume();
  }

  private void killed(SessionRef ref, String turn) {
    story.observed(ref, EventData.EMPTY.with(Field.TURN, turn));
  }

  private static EventData facts(@Nullable String agentSession, boolean reused, String home) {
    return EventData.EMPTY
        .with(Field.AGENT, "claude")
        .with(Field.PROFILE, "default")
        .with(Field.AGENT_SESSION, agentSession)
        .with(Field.HOME, home)
        .with(Field.REUSED, reused ? "true" : "false");
  }

  private static EventData used(String turn) {
    return EventData.EMPTY
        .with(Field.INPUT_TOKENS, 10L)
        .with(Field.CACHED_TOKENS, 20L)
        .with(Field.OUTPUT_TOKENS, 30L)
        .with(Field.TURN, turn);
  }

  private static Failure transientFailure(String code) {
    return new Failure(Failure.Kind.TRANSIENT, code);
  }

  private static Receipt exited() {
    return new Receipt("A", 1, 0, List.of(), 0);
  }

  private static Receipt killed() {
    return new Receipt("A", 1, 0, List.of("INT", "TERM"), 0);
  }
}
