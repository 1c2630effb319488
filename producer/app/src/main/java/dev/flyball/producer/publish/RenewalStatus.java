package dev.flyball.producer.publish;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the writes of a lease take effect. Written by the thread that writes the lease, one at a
 * time. Read by health at any moment, which cannot wait as long as a write may take.
 */
final class RenewalStatus {
  /** When the newest write began that took effect; null while the lease is not known to be ours. */
  private volatile @Nullable Long effective;

  /** Why the last write took no effect; null if it did. */
  private volatile @Nullable String failure;

  /** A write that began at this time took effect; null if it gave the lease back. */
  void tookEffect(@Nullable Long began) {
    effective = began;
    failure = null;
  }

  /**
   * The write failed, and may have taken effect all the same; the effective write before it still
   * counts.
   */
  void failed(String why) {
    failure = why;
  }

  /** This process does not hold the lease, so it must not renew it. */
  void notOurs() {
    effective = null;
  }

  /** Whether this process holds the lease as far as it knows, even if the last write failed. */
  boolean isOurs() {
    return effective != null;
  }

  /** How long ago the newest effective write began; zero while the lease is not ours. */
  Duration silence(long now) {
    Long began = effective;
    return began == null ? Duration.ZERO : Duration.ofNanos(now - began);
  }

  /** Why the last write took no effect; empty if it did. */
  Optional<String> failure() {
    return Optional.ofNullable(failure);
  }
}
