package dev.flyball.producer.lease;

import java.time.Duration;
import java.util.Optional;

/** A lease that wants beats. Any thread. */
public interface Pulse {

  /** Says that the holder lives; nothing if the lease is another's or nobody's. May take long. */
  void beat();

  /**
   * How long ago the newest write began that took effect; zero while the lease is not ours. Never
   * waits.
   */
  Duration silence();

  /** Why the last write did not take effect, one line; empty if it did. Never waits. */
  Optional<String> failure();
}
