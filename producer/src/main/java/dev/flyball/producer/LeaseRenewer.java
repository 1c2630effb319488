package dev.flyball.producer;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.producer.lease.Renewable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews one poll lease in a separate thread: neither a poll nor a hanging renewal of another
 * source delays it. It is a platform thread, because virtual threads wait while polls keep every
 * carrier busy. A missing renewal shows in the age of the last success, whatever happened to the
 * thread.
 */
final class LeaseRenewer {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);

  /** After how many intervals without an effective renewal health reports the lease. */
  private static final int IN_VAIN = 2;

  private final String source;
  private final Renewable lease;
  private final Duration every;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Written by the thread that renews, read by scrapes. */
  private final AtomicLong failures = new AtomicLong();

  /** Renews the lease; replaced if it died. Guarded by this. */
  private @Nullable Thread thread;

  /**
   * Does not renew yet.
   *
   * @param source {@code tenant/source}
   * @param every {@code poll.beat}, the time between two renewals
   */
  LeaseRenewer(String source, Renewable lease, Duration every) {
    this.source = source;
    this.lease = lease;
    this.every = every;
  }

  /** Starts renewals, or replaces a thread that died. The supervisor calls it again and again. */
  synchronized void keep() {
    if (stopping.getCount() == 0 || (thread != null && thread.isAlive())) {
      return;
    }
    if (thread != null) {
      LOG.error("source {}: the thread that renews its poll lease died; started another", source);
    }
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("producer-renew-" + source)
            .uncaughtExceptionHandler(
                (dead, e) -> LOG.error("source {}: lease renewal failed", source, e))
            .start(this::run);
  }

  private void run() {
    try {
      while (!stopping.await(every.toNanos(), TimeUnit.NANOSECONDS)) {
        beat();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void beat() {
    try {
      lease.beat();
      if (lease.failure().isPresent()) {
        failures.incrementAndGet();
      }
    } catch (RuntimeException e) {
      failures.incrementAndGet();
      LOG.warn("renewal of poll lease {} failed: {}", source, e.getMessage());
    }
  }

  /** Starts no further renewal; one that runs ends by itself. */
  void stop() {
    stopping.countDown();
  }

  /** Waits until no renewal runs, at most for the limit; returns whether none runs. */
  boolean await(Duration limit) throws InterruptedException {
    Thread last;
    synchronized (this) {
      last = thread;
    }
    return last == null || last.join(limit);
  }

  /**
   * How long ago the last effective renewal or poll commit began; zero while the lease is not ours.
   */
  Duration age() {
    return lease.silence();
  }

  /** How many renewals took no effect since the start; any thread. */
  long failures() {
    return failures.get();
  }

  /** Why a person should check the lease, one line; empty if it is renewed in time. */
  Optional<String> trouble() {
    Duration age = age();
    if (age.compareTo(every.multipliedBy(IN_VAIN)) < 0) {
      return Optional.empty();
    }
    String why = lease.failure().map(failure -> ": " + failure).orElse(": renewal is blocked");
    return Optional.of("its poll lease was not renewed for " + TimeSpan.remaining(age) + why);
  }
}
