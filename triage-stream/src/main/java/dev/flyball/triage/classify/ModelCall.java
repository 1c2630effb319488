package dev.flyball.triage.classify;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks a model once. It knows nothing of items: it gets a prompt and the schema of the answer, and
 * returns what the model wrote. One call may take minutes; it is never made in a stream thread.
 */
public interface ModelCall {

  /** The model's name for verdicts and people, for example {@code claude/haiku}. */
  String model();

  /**
   * Asks and waits for the answer.
   *
   * @param prompt the whole prompt; item texts in it are fenced by the caller
   * @param schema JSON Schema of the answer, as text
   * @throws ModelFailure if the model did not answer
   * @throws InterruptedException if the calling thread was interrupted; nothing of the call is left
   */
  Reply ask(String prompt, String schema) throws ModelFailure, InterruptedException;

  /**
   * What a model answered and what it cost.
   *
   * @param text the answer, which should be JSON; not checked yet
   * @param costMicros micro-dollars; null if neither the model nor configured prices say
   */
  record Reply(String text, @Nullable Long costMicros, long inputTokens, long outputTokens) {
    /** All tokens. */
    public long tokens() {
      return inputTokens + outputTokens;
    }
  }

  /** The model did not answer. */
  final class ModelFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final @Nullable Duration retryAfter;
    private final @Nullable Long costMicros;
    private final long tokens;

    /** What may help. */
    public enum Kind {
      /** It may answer later: overloaded, rate limited, not reached. */
      UNAVAILABLE,
      /** An operator must act: login, unknown model, missing program. */
      REFUSED,
      /** It may be down, or fail on one question: a server error, a call that broke off. */
      UNCLEAR,
      /** A question may be at fault: rejected, too long, an answer that cannot be used. */
      BAD_BATCH,
      /** No answer within the time of a call: too many questions, or one that takes too long. */
      SLOW,
      /** It was not asked, because a budget of the day allows no call. */
      NO_BUDGET
    }

    /**
     * Creates a failure.
     *
     * @param reason one line for a person, with the fix where there is one
     * @param retryAfter how long the provider wants no call; null if it does not say
     * @param costMicros micro-dollars that the call cost all the same; null if unknown
     * @param tokens tokens that it used all the same, as far as they are known
     */
    public ModelFailure(
        Kind kind,
        String reason,
        @Nullable Duration retryAfter,
        @Nullable Long costMicros,
        long tokens) {
      super(reason);
      this.kind = kind;
      this.retryAfter = retryAfter;
      this.costMicros = costMicros;
      this.tokens = tokens;
    }

    /** A failure before any token was used. */
    public ModelFailure(
        Kind kind, String reason, @Nullable Duration retryAfter, @Nullable Long costMicros) {
      this(kind, reason, retryAfter, costMicros, 0);
    }

    /** The same failure with this cost and these tokens. */
    public ModelFailure costing(long micros, long used) {
      return new ModelFailure(kind, String.valueOf(getMessage()), retryAfter, micros, used);
    }

    /** What may help. */
    public Kind kind() {
      return kind;
    }

    /** How long the provider wants no call; null if it does not say. */
    public @Nullable Duration retryAfter() {
      return retryAfter;
    }

    /** Micro-dollars that the call cost all the same; null if unknown. */
    public @Nullable Long costMicros() {
      return costMicros;
    }

    /** Tokens that the call used all the same, as far as they are known. */
    public long tokens() {
      return tokens;
    }
  }
}
