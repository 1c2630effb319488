package dev.flyball.ops.console.why;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an item stands and what keeps it there: the answer of {@code why}.
 *
 * @param state its state in a word
 * @param reasons at least one; what the ledger says comes before what the runners say
 */
public record Standing(String item, String title, String state, List<Reason> reasons) {
  public Standing {
    reasons = List.copyOf(reasons);
  }

  /** The same item where no service runs: what the ledger said last is not so any more. */
  public Standing withoutService(String detail) {
    return new Standing(
        item, title, state, List.of(new Reason(Word.NO_SERVICE, null, null, detail)));
  }

  /**
   * One reason.
   *
   * @param scope of the cap, pause or budget that stands in the way
   * @param until when it ends by itself, where that is known
   * @param detail one line for a person
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Reason(
      Word reason, @Nullable String scope, @Nullable Instant until, String detail) {}

  /** The kinds of reasons, by what a person would do about them. */
  public enum Word {
    /** A session of it is live. */
    RUNS("runs"),
    /** Nothing more happens to it by itself. */
    SETTLED("settled"),
    /** Not yet decided whether it deserves a session. */
    TRIAGE("triage"),
    /** A failed attempt is repeated later. */
    BACKING_OFF("backingOff"),
    /** Its session has ended; triage-stream decides what comes next. */
    ENDING("ending"),
    /** As many sessions of the scope are live as may be. */
    AT_CAP("atCap"),
    /** Somebody paused the scope. */
    PAUSED("paused"),
    /** The model's provider refuses for now. */
    PROVIDER("provider"),
    /** The scope's budget of the day does not allow it. */
    BUDGET("budget"),
    /** Nobody keeps the answers up to date, so nothing is claimed either. */
    NO_SERVICE("noService"),
    /** No runner has been heard lately. */
    NO_RUNNER("noRunner"),
    /** Others of its tenant go first. */
    QUEUED("queued"),
    /** Every live runner refuses. */
    RUNNERS_REFUSE("runnersRefuse"),
    /** The broker lost records of session-requests; triage-stream replaces them. */
    REQUESTS_LOST("requestsLost"),
    /** The ledger goes by rules that this program does not know. */
    UNKNOWN_RULES("unknownRules"),
    /** Nothing is in the way. */
    NEXT("next");

    private final String label;

    Word(String label) {
      this.label = label;
    }

    /** The word in tables and JSON. */
    @JsonValue
    public String label() {
      return label;
    }
  }
}
