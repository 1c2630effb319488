package dev.flyball.program.cli;

/** What an operator may do from the live screen, each after a question. */
sealed interface TopAction {
  /** Ends one session; it does nothing if that session has ended meanwhile. */
  record Cancel(String item, String session) implements TopAction {}

  /** Marks the item as not worth a session, and ends the session that it has. */
  record Skip(String item) implements TopAction {}

  /** Tries an item again that was cancelled or skipped here, counting its attempts from 1. */
  record Retry(String item) implements TopAction {}

  /**
   * Changes the global cap.
   *
   * @param by one more or one less than the ledger has when it is done
   */
  record Cap(int by) implements TopAction {}

  /** Lets no session start, on any runner. */
  record Pause() implements TopAction {}

  /** Ends the pause of everything; pauses of single scopes stay. */
  record Resume() implements TopAction {}

  /** What is asked before it is done. */
  default String question() {
    return switch (this) {
      case Cancel cancel -> "Cancel the session of " + cancel.item() + "?";
      case Skip skip -> "Skip " + skip.item() + " and end its session?";
      case Retry retry -> "Retry " + retry.item() + "?";
      case Cap cap -> cap.by() > 0 ? "Raise the cap by one?" : "Lower the cap by one?";
      case Pause _ -> "Pause everything: let no session start?";
      case Resume _ -> "Resume everything?";
    };
  }

  /** A key of the live screen. */
  enum Key {
    UP,
    DOWN,
    CANCEL,
    SKIP,
    RETRY,
    RAISE,
    LOWER,
    PAUSE,
    RESUME,
    YES,
    QUIT,
    OTHER;

    /** The last line of the screen. */
    static final String HELP =
        "up/down  c cancel  s skip  t retry  +/- cap  p pause all  r resume all  q quit";
  }
}
