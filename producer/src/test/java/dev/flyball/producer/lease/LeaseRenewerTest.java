package dev.flyball.producer.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-3, S2-7: every lease is renewed separately, and a renewal without effect shows")
class LeaseRenewerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration BEAT = Duration.ofMillis(5);

  private final List<LeaseRenewer> hearts = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void stop() throws InterruptedException {
    over.countDown();
    for (LeaseRenewer renewer : hearts) {
      renewer.stop();
      assertThat(renewer.await(PATIENCE)).isTrue();
    }
  }

  @Test
  void aBlockedRenewalDelaysNoOtherSource() throws InterruptedException {
    var hanging = new Counted(() -> over.await());
    var other = new Counted(() -> {});
    renewer(hanging).start();
    await().atMost(PATIENCE).until(() -> hanging.beats.get() == 1);

    renewer(other).start();

    await().atMost(PATIENCE).until(() -> other.beats.get() > 5);
    assertThat(hanging.beats).hasValue(1);
    hearts.getFirst().stop();
    assertThat(hearts.getFirst().await(BEAT)).as("a renewal that hangs still runs").isFalse();
  }

  @Test
  @DisplayName("a renewal is a daemon's, so that one that hangs keeps no process alive")
  void itsThread() {
    var thread = new AtomicReference<@Nullable Thread>();
    renewer(new Counted(() -> thread.set(Thread.currentThread()))).start();

    await().atMost(PATIENCE).until(() -> thread.get() != null);
    assertThat(thread.get())
        .returns(true, Thread::isDaemon)
        .returns("producer-renew-acme/ado", Thread::getName);
  }

  @Test
  @DisplayName("S2-9: renewals that throw or take no effect are counted, others are not")
  void failedRenewalsAreCounted() {
    var vain = new Counted(() -> {});
    vain.failure = "TimeoutException: no answer";
    var throwing =
        new Counted(() -> {
          throw new StackOverflowError("of a test");
        });
    var fine = new Counted(() -> {});
    List<LeaseRenewer> failing = List.of(renewer(vain), renewer(throwing));
    LeaseRenewer working = renewer(fine);
    failing.forEach(LeaseRenewer::start);
    working.start();

    await()
        .atMost(PATIENCE)
        .until(
            () -> fine.beats.get() > 2 && failing.stream().allMatch(each -> each.failures() > 2));
    assertThat(working.failures()).isZero();
  }

  @Test
  @DisplayName("S2-9: renewals that take no effect show, and why")
  void failedHeartbeatsShowInHealth() {
    var vain = new Counted(() -> {});
    vain.silence = BEAT.multipliedBy(2).minusNanos(1);
    assertThat(renewer(vain).trouble()).as("one late renewal does no harm").isEmpty();

    vain.silence = BEAT.multipliedBy(2);
    assertThat(renewer(vain).trouble()).as("two do").isPresent();

    vain.silence = Duration.ofSeconds(130);
    vain.failure = "TimeoutException: no answer";

    assertThat(renewer(vain).trouble())
        .hasValue("its poll lease was not renewed for 2m 10s: TimeoutException: no answer");

    vain.failure = null;
    assertThat(renewer(vain).trouble())
        .hasValue("its poll lease was not renewed for 2m 10s: renewal is blocked");
  }

  private LeaseRenewer renewer(LeaseRenewer.Lease lease) {
    var renewer = new LeaseRenewer("acme/ado", lease, BEAT);
    hearts.add(renewer);
    return renewer;
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  private static final class Counted implements LeaseRenewer.Lease {
    private final Step step;
    private final AtomicInteger beats = new AtomicInteger();
    private volatile Duration silence = Duration.ZERO;
    private volatile @Nullable String failure;

    Counted(Step step) {
      this.step = step;
    }

    @Override
    public void beat() {
      beats.incrementAndGet();
      try {
        step.run();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public Duration silence() {
      return silence;
    }

    @Override
    public Optional<String> failure() {
      return Optional.ofNullable(failure);
    }
  }
}
