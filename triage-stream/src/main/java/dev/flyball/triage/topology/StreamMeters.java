package dev.flyball.triage.topology;

/** Counters of stream threads; implementations are thread-safe. */
public interface StreamMeters {

  /** Counts a dead letter that was written. */
  void deadLetter();

  /** Counts a record that came after its session's terminal event. */
  void late();

  /** Counts offsets at the end of session-requests that their broker lost. */
  default void lost(long offsets) {}

  /** Counts nothing; for tests. */
  StreamMeters NONE =
      new StreamMeters() {
        @Override
        public void deadLetter() {}

        @Override
        public void late() {}
      };
}
