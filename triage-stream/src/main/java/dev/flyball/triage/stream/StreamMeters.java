package dev.flyball.triage.stream;

/** What stream threads count; implementations are thread-safe. */
public interface StreamMeters {

  /** A dead letter was written. */
  void deadLetter();

  /** A record came after its session's terminal event. */
  void late();

  /** So many offsets at the end of session-requests were lost by their broker. */
  default void lost(long offsets) {}

  /** For tests that count nothing. */
  StreamMeters NONE =
      new StreamMeters() {
        @Override
        public void deadLetter() {}

        @Override
        public void late() {}
      };
}
