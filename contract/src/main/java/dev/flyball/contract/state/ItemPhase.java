package dev.flyball.contract.state;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An item's state, with the data that is valid in it. The JSON property {@code state} names the
 * phase.
 *
 * <p>{@code new -> triaging -> skipped | queued -> running -> analyzed | failed | dead}, and {@code
 * cancelled}, {@code closed} from any phase.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "state")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ItemPhase.New.class, name = "new"),
  @JsonSubTypes.Type(value = ItemPhase.Triaging.class, name = "triaging"),
  @JsonSubTypes.Type(value = ItemPhase.Skipped.class, name = "skipped"),
  @JsonSubTypes.Type(value = ItemPhase.Queued.class, name = "queued"),
  @JsonSubTypes.Type(value = ItemPhase.Running.class, name = "running"),
  @JsonSubTypes.Type(value = ItemPhase.Analyzed.class, name = "analyzed"),
  @JsonSubTypes.Type(value = ItemPhase.Failed.class, name = "failed"),
  @JsonSubTypes.Type(value = ItemPhase.Dead.class, name = "dead"),
  @JsonSubTypes.Type(value = ItemPhase.Cancelled.class, name = "cancelled"),
  @JsonSubTypes.Type(value = ItemPhase.Closed.class, name = "closed"),
})
public sealed interface ItemPhase {
  /** Whether nothing more happens to this snapshot without new input. */
  default boolean settled() {
    return switch (this) {
      case New _, Triaging _, Queued _, Running _, Failed _ -> false;
      case Skipped _, Analyzed _, Dead _, Cancelled _, Closed _ -> true;
    };
  }

  /** The phase's name in records and output. */
  default String word() {
    return switch (this) {
      case New n -> "new";
      case Triaging t -> "triaging";
      case Skipped s -> "skipped";
      case Queued q -> "queued";
      case Running r -> "running";
      case Analyzed a -> "analyzed";
      case Failed f -> "failed";
      case Dead d -> "dead";
      case Cancelled c -> "cancelled";
      case Closed c -> "closed";
    };
  }

  /** When this item is due without new input; the due index holds it. */
  default Optional<Instant> dueAt() {
    return switch (this) {
      case Triaging t -> Optional.of(t.due());
      case Failed f -> Optional.of(f.due());
      case New _, Queued _, Running _, Skipped _, Analyzed _, Dead _, Cancelled _, Closed _ ->
          Optional.empty();
    };
  }

  /** Seen; no question was sent yet. */
  record New() implements ItemPhase {}

  /**
   * A question was sent to the classifier.
   *
   * @param triage the question's id; an answer to another question is ignored
   * @param asked how many questions were asked about this snapshot, from 1
   * @param number the question's place among those of its partition, in the order in which they
   *     were asked; the classifier answers in this order
   * @param due when the question is checked: it is asked again if the classifier has answered a
   *     later one, or if its topic no longer holds it
   * @param waits why the classifier does not answer yet; null if it did not say so
   */
  record Triaging(
      String triage, int asked, long number, Instant since, Instant due, @Nullable String waits)
      implements ItemPhase {
    /** A question that the classifier said nothing about. */
    public Triaging(String triage, int asked, long number, Instant since, Instant due) {
      this(triage, asked, number, since, due, null);
    }

    /** The same question, checked at another time, and why it is not answered yet. */
    public Triaging waiting(Instant until, @Nullable String why) {
      return new Triaging(triage, asked, number, since, until, why);
    }
  }

  /**
   * Not worth a session.
   *
   * @param exclusion why its source takes the item for no session; null if an operator or a verdict
   *     skipped it
   */
  record Skipped(String reason, @Nullable Exclusion exclusion) implements ItemPhase {
    /** Skipped by an operator or a verdict. */
    public Skipped(String reason) {
      this(reason, null);
    }

    /** Skipped by the configuration of its source. */
    public Skipped(Exclusion exclusion) {
      this(exclusion.reason(), exclusion);
    }
  }

  /** A request waits in session-requests. */
  record Queued(Outstanding outstanding, Verdict verdict) implements ItemPhase, Requested {}

  /**
   * The request's claim took effect.
   *
   * @param withdrawn whether the request was tombstoned since, so that the runner ends the session
   */
  record Running(
      Outstanding outstanding,
      Verdict verdict,
      String session,
      String token,
      String runner,
      boolean withdrawn)
      implements ItemPhase, Requested {}

  /** Its newest analysis is in {@code analyses}. */
  record Analyzed(String session) implements ItemPhase {}

  /** The last session failed, was lost or interrupted; a new request follows at {@code due}. */
  record Failed(Attempts attempts, Verdict verdict, Instant due, String reason)
      implements ItemPhase {}

  /** Given up; its snapshot is in dead-letters. */
  record Dead(String reason) implements ItemPhase {}

  /** No longer wanted by an operator. */
  record Cancelled(String reason) implements ItemPhase {}

  /** No longer wanted by the tracker. */
  record Closed(String reason) implements ItemPhase {}

  /** A phase with an outstanding request, and the verdict that asked for it. */
  sealed interface Requested {
    Outstanding outstanding();

    Verdict verdict();
  }

  /**
   * The one outstanding request.
   *
   * @param resume the agent's session that it goes on with; null for a fresh one
   * @param route which agent it asks for; null for the default one
   */
  record Outstanding(
      String request,
      Attempts attempts,
      Instant since,
      @Nullable AgentSession resume,
      @Nullable Route route) {}

  /**
   * The attempts used so far.
   *
   * @param attempt the running number of the request's attempt, from 1
   * @param failures failed and timed out sessions
   * @param lost lost sessions, which have a separate limit
   * @param interrupted interrupted sessions; no limit, but the waits between them grow
   * @param since when the first of these requests was made, so that later ones keep its age; null
   *     before the first
   */
  record Attempts(int attempt, int failures, int lost, int interrupted, @Nullable Instant since) {
    /** The first attempt. */
    public static final Attempts FIRST = new Attempts(1, 0, 0, 0, null);

    /** Returns the next request's attempt, with what its predecessors used up. */
    public Attempts next() {
      return new Attempts(attempt + 1, failures, lost, interrupted, since);
    }

    /** Returns the same attempts, waiting since {@code begin}. */
    public Attempts since(@Nullable Instant begin) {
      return new Attempts(attempt, failures, lost, interrupted, begin);
    }
  }
}
