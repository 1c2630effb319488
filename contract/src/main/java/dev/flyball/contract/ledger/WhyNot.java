package dev.flyball.contract.ledger;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Why a claim has no effect; the fold's part of the answer to "why is my item not running". */
public sealed interface WhyNot {

  /** One line for a person. */
  String text();

  /** A scope is at its cap. */
  record AtCap(String scope, int open, int cap) implements WhyNot {
    @Override
    public String text() {
      return scope.equals(Scope.GLOBAL)
          ? "at cap: " + open + " of " + cap + " sessions are live"
          : scope + " at cap: " + open + " of " + cap;
    }
  }

  /** A scope is paused. */
  record Paused(String scope, @Nullable Instant until, String who, String why) implements WhyNot {
    /** By this pause, which is in force. */
    public Paused(LedgerEntry.Pause pause) {
      this(pause.scope(), pause.until(), pause.who(), pause.why());
    }

    @Override
    public String text() {
      return scope + " paused by " + who + (until == null ? "" : " until " + until) + ": " + why;
    }
  }

  /** The item has a live session. */
  record ItemBusy(String session) implements WhyNot {
    @Override
    public String text() {
      return "session " + session + " of this item is live";
    }
  }

  /** The request already had its session, or has one now. */
  record RequestUsed(String request) implements WhyNot {
    @Override
    public String text() {
      return "request " + request + " already had its session";
    }
  }

  /** The claimant had not read its partition far enough. */
  record BelowFloor(int partition, long floor) implements WhyNot {
    @Override
    public String text() {
      return "the runner has not yet read session-requests partition "
          + partition
          + " up to "
          + floor;
    }
  }

  /** A budget does not allow the reserve. */
  record OverBudget(String scope, String detail) implements WhyNot {
    @Override
    public String text() {
      return "budget of " + scope + ": " + detail;
    }
  }

  /** The claim's session id was used before, or its rules are too old. */
  record Unfit(String detail) implements WhyNot {
    @Override
    public String text() {
      return detail;
    }
  }
}
