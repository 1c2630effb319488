package dev.flyball.producer.publish;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether the writes of a lease take effect. Written by who writes them, one at a time; read by
 * health at any moment, which cannot wait as long as a write may take.
 */
final class LastWrite {
  /** When the newest write began that took effect; null while the lease is not known to be ours. */
  private volatile @Nullable Long effective;

  /** Why the last write took no effect; null if it did. */
  private volatile @Nullable String failure;

  /** The lease is ours by a write that began then. */
  void tookEffect(long began) {
    effective = began;
    failure = null;
  }

  /** Nobody knows whether it did; what was written before stands. */
  void failed(String why) {
    failure = why;
  }

  /** The lease was given back, and so it stands. */
  void gaveBack() {
    effective = null;
    failure = null;
  }

  /** The lease is another's or nobody's: it is not ours to beat. */
  void notOurs() {
    effective = null;
  }

  /** Whether the lease is ours as far as anybody knows, even if the last write failed. */
  boolean isOurs() {
    return effective != null;
  }

  /** How long ago the newest write began that took effect; zero while the lease is not ours. */
  Duration silence(long now) {
    Long began = effective;
    return began == null ? Duration.ZERO : Duration.ofNanos(now - began);
  }

  /** Why the last write took no effect; empty if it did. */
  Optional<String> failure() {
    return Optional.ofNullable(failure);
  }
}
