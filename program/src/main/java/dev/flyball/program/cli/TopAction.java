package dev.flyball.program.cli;

/** What an operator may do from the live screen, each after a question. */
sealed interface TopAction {
  /** Ends one session; it does nothing if that session has ended meanwhile. */
  record Cancel(String item, String session) implements TopAction {}

  /** Marks the item as not worth a session, and ends the session that it has. */
  record Skip(String item) implements TopAction {}

  /** Lets no session start, on any runner. */
  record Pause() implements TopAction {}

  /** Ends the pause of everything; pauses of single scopes stay. */
  record Resume() implements TopAction {}

  /** What is asked before it is done. */
  default String question() {
    return switch (this) {
      case Cancel cancel -> "Cancel the session of " + cancel.item() + "?";
      case Skip skip -> "Skip " + skip.item() + " and end its session?";
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
    PAUSE,
    RESUME,
    YES,
    QUIT,
    OTHER;

    /** The last line of the screen. */
    static final String HELP =
        "up/down select   c cancel   s skip   p pause all   r resume all   q quit";
  }
}
