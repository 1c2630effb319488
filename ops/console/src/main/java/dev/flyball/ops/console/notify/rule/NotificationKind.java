package dev.flyball.ops.console.notify.rule;

import java.util.Locale;

/** What a target can be notified of. The label is the value of {@code on} and in messages. */
public enum NotificationKind {
  /** An item was given up. */
  DEAD,
  /** An agent has been silent for long. */
  HUNG,
  /** A daily budget or a provider's account is nearly or completely spent. */
  BUDGET,
  /** A tracker is not polled any more. */
  BREAKER,
  /** A rule that always holds is broken, as the console sees it. */
  INVARIANT,
  /** Processes outlive their session. */
  SURVIVORS,
  /** An agent has analyzed an item. */
  ANALYSIS,
  /** A session's lease expired without a result. */
  LOST,
  /** Health is not good for a reason that lasts, or a session has many processes. */
  TROUBLE,
  /** Only for {@code flyball notify test}, and for what was held back. */
  NOTICE;

  /** The value in configuration and messages. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Whether a person has to act on it: it has a quota apart from that of the others, and is sent
   * later if it was held back.
   */
  public boolean alarm() {
    return switch (this) {
      case BUDGET, INVARIANT, SURVIVORS, TROUBLE -> true;
      case DEAD, HUNG, BREAKER, ANALYSIS, LOST, NOTICE -> false;
    };
  }

  /**
   * The kind of a label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static NotificationKind ofLabel(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
