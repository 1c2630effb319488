package dev.flyball.producer.lease;

import java.time.Duration;
import java.util.Optional;

/** A lease that must be renewed. Any thread. */
public interface Renewable {

  /** Renews the lease; does nothing if this process does not hold it. May take long. */
  void beat();

  /**
   * How long ago the newest effective write began; zero while this process does not hold the lease.
   * Never waits.
   */
  Duration silence();

  /** Why the last write did not take effect, one line; empty if it did. Never waits. */
  Optional<String> failure();
}
