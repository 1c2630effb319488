package dev.flyball.ops.console.why;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.flyball.ops.console.view.ItemRow;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An item's state and why it stays in it: the answer of {@code why}.
 *
 * @param state the name of its state
 * @param reasons at least one; those from the ledger come before those from the runners
 * @param profile the agent that its request asks for, null while it has none
 * @param routedBy the rule that chose the agent
 */
public record ItemStatus(
    String item,
    String title,
    String state,
    List<Reason> reasons,
    @Nullable String profile,
    @Nullable String routedBy) {
  public ItemStatus {
    reasons = List.copyOf(reasons);
  }

  /** The same item while no service runs: the ledger's last state is out of date then. */
  public ItemStatus withoutService(String detail) {
    return new ItemStatus(
        item, title, state, List.of(new Reason(Word.NO_SERVICE, detail)), profile, routedBy);
  }

  /**
   * One reason.
   *
   * @param scope of the cap, pause or budget that holds the item up
   * @param until when it ends by itself, where that is known
   * @param detail one line for a person
   */
  public record Reason(
      Word reason, @Nullable String scope, @Nullable Instant until, String detail) {
    /** One without a scope and a known end. */
    public Reason(Word reason, String detail) {
      this(reason, null, null, detail);
    }

    /** The same reason without other tenants' figures, for a reader who may not see those. */
    public Reason withoutFigures() {
      String plain =
          switch (reason) {
            case AT_CAP -> scope + " is at its cap";
            case BUDGET -> "the budget of " + scope + " allows no further session today";
            case RUNNERS_REFUSE -> "no runner accepts sessions now";
            case RUNNER_DECLINES -> "a runner leaves it to others";
            default -> detail;
          };
      return new Reason(reason, scope, until, plain);
    }
  }

  /** An item that waits, with the reasons. */
  public record WaitingRow(ItemRow item, List<Reason> reasons) {
    public WaitingRow {
      reasons = List.copyOf(reasons);
    }
  }

  /** The kinds of reasons, by what a person would do about them. */
  public enum Word {
    /** A session of the item is live. */
    RUNS("runs"),
    /** The item changes no more by itself. */
    SETTLED("settled"),
    /** Triage has not decided yet whether it deserves a session. */
    TRIAGE("triage"),
    /** A failed attempt is repeated later. */
    BACKING_OFF("backingOff"),
    /** Its session has ended; triage-stream decides what comes next. */
    ENDING("ending"),
    /** The scope already has as many live sessions as its cap allows. */
    AT_CAP("atCap"),
    /** An operator paused the scope. */
    PAUSED("paused"),
    /** The model's provider rejects requests for now. */
    PROVIDER("provider"),
    /** The scope's budget of the day does not allow it. */
    BUDGET("budget"),
    /** No service updates the projection, so no runner claims either. */
    NO_SERVICE("noService"),
    /** No runner has been heard lately. */
    NO_RUNNER("noRunner"),
    /** Runners are alive, and none of them has the agent that it asks for. */
    NO_PROFILE("noProfile"),
    /** Runners are alive, and none of them has its source in its configuration. */
    NO_SOURCE("noSource"),
    /** Other requests of its tenant go first. */
    QUEUED("queued"),
    /** Every live runner declines new sessions. */
    RUNNERS_REFUSE("runnersRefuse"),
    /** Some runners leave it to others, because of a fault of theirs or of their settings. */
    RUNNER_DECLINES("runnerDeclines"),
    /** The broker lost records of session-requests; only a new topics.prefix helps. */
    REQUESTS_LOST("requestsLost"),
    /** The ledger uses rules that this program does not know. */
    UNKNOWN_RULES("unknownRules"),
    /** Nothing holds it up. */
    NEXT("next");

    private final String label;

    Word(String label) {
      this.label = label;
    }

    /** The name in tables and JSON. */
    @JsonValue
    public String label() {
      return label;
    }
  }
}
