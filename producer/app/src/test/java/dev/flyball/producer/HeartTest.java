package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.producer.lease.Pulse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-3, S2-7: every lease has a beat of its own, and one that does nothing shows")
class HeartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration BEAT = Duration.ofMillis(5);

  private final List<Heart> hearts = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void stop() throws InterruptedException {
    over.countDown();
    for (Heart heart : hearts) {
      heart.stop();
      assertThat(heart.await(PATIENCE)).isTrue();
    }
  }

  @Test
  void aBeatThatHangsDelaysNoOtherSource() {
    var hanging = new Counted(() -> over.await());
    var other = new Counted(() -> {});
    heart(hanging).keep();
    await().atMost(PATIENCE).until(() -> hanging.beats.get() == 1);

    heart(other).keep();

    await().atMost(PATIENCE).until(() -> other.beats.get() > 5);
    assertThat(hanging.beats).hasValue(1);
  }

  @Test
  void aBeatThatFailsIsFollowedByTheNext() {
    var failing =
        new Counted(() -> {
          throw new IllegalStateException("no broker");
        });
    heart(failing).keep();

    await().atMost(PATIENCE).until(() -> failing.beats.get() > 3);
  }

  @Test
  void aThreadThatDiesIsReplaced() {
    var deadly = new Counted(() -> over.await());
    deadly.death = new StackOverflowError("of a test");
    Heart heart = heart(deadly);
    heart.keep();

    await()
        .atMost(PATIENCE)
        .until(() -> {
          heart.keep();
          return deadly.beats.get() == 2;
        });
  }

  @Test
  void aStoppedOneIsNotBegunAgain() throws InterruptedException {
    var counted = new Counted(() -> {});
    Heart heart = heart(counted);
    heart.keep();
    heart.stop();
    assertThat(heart.await(PATIENCE)).isTrue();
    int beats = counted.beats.get();

    heart.keep();

    assertThat(heart.await(PATIENCE)).isTrue();
    assertThat(counted.beats).hasValue(beats);
  }

  @Test
  void oneLateBeatIsNoTrouble() {
    var late = new Counted(() -> {});
    late.silence = BEAT.multipliedBy(2).minusNanos(1);

    assertThat(heart(late).trouble()).isEmpty();
  }

  @Test
  @DisplayName("S2-9: a heart that beats in vain shows, and why")
  void beatsInVainAreTold() {
    var vain = new Counted(() -> {});
    vain.silence = Duration.ofSeconds(130);
    vain.failure = "TimeoutException: no answer";

    assertThat(heart(vain).trouble())
        .hasValue("its poll lease was not renewed for 2m10s: TimeoutException: no answer");

    vain.failure = null;
    assertThat(heart(vain).trouble())
        .hasValue("its poll lease was not renewed for 2m10s: a beat hangs");
  }

  private Heart heart(Pulse pulse) {
    var heart = new Heart("acme/ado", pulse, BEAT);
    hearts.add(heart);
    return heart;
  }

  private interface Step {
    void run() throws InterruptedException;
  }

  private static final class Counted implements Pulse {
    private final Step step;
    private final AtomicInteger beats = new AtomicInteger();
    private volatile Duration silence = Duration.ZERO;
    private volatile @Nullable String failure;
    private volatile @Nullable Error death;

    Counted(Step step) {
      this.step = step;
    }

    @Override
    public void beat() {
      beats.incrementAndGet();
      Error now = death;
      death = null;
      if (now != null) {
        throw now;
      }
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
