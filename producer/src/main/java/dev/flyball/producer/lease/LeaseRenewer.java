package dev.flyball.producer.lease;

import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews one poll lease in a separate thread: neither a poll nor a hanging renewal of another
 * source delays it. It is a platform thread, because virtual threads wait while polls keep every
 * carrier busy. A missing renewal shows in the age of the last success, whatever happened to the
 * thread.
 */
public final class LeaseRenewer {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);

  /** After how many intervals without an effective renewal health reports the lease. */
  private static final int IN_VAIN = 2;

  private final String source;
  private final Lease lease;
  private final Duration every;
  private final ScheduledExecutorService thread;

  /** Written by the thread that renews, read by scrapes. */
  private final AtomicLong failures = new AtomicLong();

  /** A lease that must be renewed. Any thread. */
  public interface Lease {
    /** Renews the lease; does nothing if this process does not hold it. May take long. */
    void beat();

    /** How long ago the newest effective write began; zero without the lease. Never waits. */
    Duration silence();

    /** Why the last write did not take effect, one line; empty if it did. Never waits. */
    Optional<String> failure();
  }

  /**
   * Does not renew yet.
   *
   * @param source {@code tenant/source}
   * @param every {@code poll.beat}, the time between two renewals
   */
  public LeaseRenewer(String source, Lease lease, Duration every) {
    this.source = source;
    this.lease = lease;
    this.every = every;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("producer-renew-" + source).factory());
  }

  /** Renews from now on. */
  public void start() {
    var _ =
        thread.scheduleWithFixedDelay(
            this::beat, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Whatever a renewal throws must not end the next ones. */
  private void beat() {
    try {
      lease.beat();
      if (lease.failure().isPresent()) {
        failures.incrementAndGet();
      }
    } catch (RuntimeException | Error e) {
      failures.incrementAndGet();
      LOG.warn("renewal of poll lease {} failed: {}", source, e.toString());
    }
  }

  /** Starts no further renewal; one that runs ends by itself. */
  public void stop() {
    thread.shutdown();
  }

  /** Waits until no renewal runs, at most for the limit; returns whether none runs. */
  public boolean await(Duration limit) throws InterruptedException {
    return thread.awaitTermination(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How many renewals took no effect since the start; any thread. */
  public long failures() {
    return failures.get();
  }

  /** Why a person should check the lease, one line; empty if it is renewed in time. */
  public Optional<String> trouble() {
    Duration age = lease.silence();
    if (age.compareTo(every.multipliedBy(IN_VAIN)) < 0) {
      return Optional.empty();
    }
    String why = lease.failure().map(failure -> ": " + failure).orElse(": renewal is blocked");
    return Optional.of("its poll lease was not renewed for " + TimeSpan.remaining(age) + why);
  }
}
