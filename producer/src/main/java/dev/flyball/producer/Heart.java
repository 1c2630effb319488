package dev.flyball.producer;

import dev.flyball.producer.breaker.Left;
import dev.flyball.producer.lease.Pulse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Beats for one lease, in a thread of its own (S2-3): neither a poll nor another source's beat that
 * hangs delays it. A platform thread: virtual ones wait while polls keep every carrier busy. What
 * it does not do shows: by the age of its last success, whatever became of the thread.
 */
final class Heart {
  private static final Logger LOG = LoggerFactory.getLogger(Heart.class);

  /** After how many beats without effect a person should look. */
  private static final int IN_VAIN = 2;

  private final String source;
  private final Pulse pulse;
  private final Duration every;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Beats; replaced if it died. Guarded by this. */
  private @Nullable Thread thread;

  /**
   * Does not beat yet.
   *
   * @param source {@code tenant/source}
   * @param every {@code poll.beat}
   */
  Heart(String source, Pulse pulse, Duration every) {
    this.source = source;
    this.pulse = pulse;
    this.every = every;
  }

  /** Beats from now on; a thread that died is replaced. For its supervisor, again and again. */
  synchronized void keep() {
    if (stopping.getCount() == 0 || (thread != null && thread.isAlive())) {
      return;
    }
    if (thread != null) {
      LOG.error("source {}: the thread of its beats had died; another goes on", source);
    }
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("producer-beat-" + source)
            .uncaughtExceptionHandler((dead, e) -> LOG.error("source {}: beat died", source, e))
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
      pulse.beat();
    } catch (RuntimeException e) {
      LOG.warn("beat of poll lease {} failed: {}", source, e.getMessage());
    }
  }

  /** No further beat; one that runs ends by itself. */
  void stop() {
    stopping.countDown();
  }

  /** Waits until no beat runs, for so long at most; whether none does. */
  boolean await(Duration limit) throws InterruptedException {
    Thread last;
    synchronized (this) {
      last = thread;
    }
    return last == null || last.join(limit);
  }

  /** How long ago the last beat, or poll, was written; zero while the lease is not ours. */
  Duration age() {
    return pulse.silence();
  }

  /** Why a person should look, one line; empty if all is well. */
  Optional<String> trouble() {
    Duration age = age();
    if (age.compareTo(every.multipliedBy(IN_VAIN)) < 0) {
      return Optional.empty();
    }
    String why = pulse.failure().map(failure -> ": " + failure).orElse(": a beat hangs");
    return Optional.of("its poll lease was not renewed for " + Left.text(age) + why);
  }
}
