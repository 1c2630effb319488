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
  private static final Receipt EXITED = new Receipt("A", 1, 0, List.of(), 0);

  /** What an agent reports that ended its turn. */
  private static final EventData USED =
      EventData.EMPTY
          .with(Field.INPUT_TOKENS, 10L)
          .with(Field.CACHED_TOKENS, 20L)
          .with(Field.OUTPUT_TOKENS, 30L)
          .with(Field.TURN, "ended");

  private final ItemStory story;

  AgentRuns(ItemStory story) {
    this.story = story;
  }

  /** How a session that was asked to resume ends. */
  enum End {
    ANSWERED(null, Outcome.COMPLETED, null, 60, false),
    /** It had answered, and stayed until it was killed. */
    ANSWERED_KILLED("ended", Outcome.COMPLETED, null, 60, true),
    /** The agent reported an error, and exited. */
    ERROR(null, Outcome.FAILED, "agent-error", 60, false),
    /** INT at a shutdown: the agent ended its turn. */
    INTERRUPTED_INT("ended", Outcome.INTERRUPTED, null, 60, true),
    NOT_STARTED(null, Outcome.INTERRUPTED, null, 0, false),
    /** TERM or KILL before the turn's end. */
    KILLED("cut", Outcome.INTERRUPTED, null, 60, true),
    /** The same, and the event that says so has not arrived. */
    KILLED_UNSEEN(null, Outcome.INTERRUPTED, null, 60, true),
    STALLED("cut", Outcome.TIMED_OUT, "silent", 60, true),
    /** The machine killed it. */
    SIGNALLED("cut", Outcome.FAILED, "signal", 60, false),
    LOST(null, Outcome.LOST, null, 60, false),
    NOTHING_DONE(null, Outcome.FAILED, "agent-error", 0, false),
    CRASHED(null, Outcome.FAILED, "exit-code", 60, false),
    UNKNOWN(null, Outcome.FAILED, Failure.UNKNOWN_SESSION, 0, false),
    SILENT(null, Outcome.FAILED, Failure.SILENT_SESSION, 0, false);

    private final @Nullable String turn;
    private final Outcome outcome;
    private final @Nullable Failure failure;
    private final long tokens;
    private final Receipt receipt;

    End(
        @Nullable String turn,
        Outcome outcome,
        @Nullable String failure,
        long tokens,
        boolean killed) {
      this.turn = turn;
      this.outcome = outcome;
      this.failure = failure == null ? null : new Failure(Failure.Kind.TRANSIENT, failure);
      this.tokens = tokens;
      this.receipt = killed ? new Receipt("A", 1, 0, List.of("INT", "TERM"), 0) : EXITED;
    }
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
    release(start(), Outcome.FAILED, failure, 0, EXITED);
  }

  void ends(End end) {
    if (end == End.NOT_STARTED) {
      release(story.claimed(), Outcome.INTERRUPTED, null, 0, Receipt.notStarted());
      return;
    }
    SessionRef ref = start();
    if (end.turn != null) {
      story.observed(ref, EventData.EMPTY.with(Field.TURN, end.turn));
    }
    if (end.outcome == Outcome.COMPLETED) {
      story.result(ref, USED);
    }
    if (end == End.LOST) {
      story.expired(ref);
    } else {
      release(ref, end.outcome, end.failure, end.tokens, end.receipt);
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
    story.result(ref, USED);
    release(ref, Outcome.COMPLETED, null, 60, EXITED);
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

  private static EventData facts(@Nullable String agentSession, boolean reused, String home) {
    return EventData.EMPTY
        .with(Field.AGENT, "claude")
        .with(Field.PROFILE, "default")
        .with(Field.AGENT_SESSION, agentSession)
        .with(Field.HOME, home)
        .with(Field.REUSED, reused ? "true" : "false");
  }
}
