package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class StartStopStressTest {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  @Test
  void acceptsAServiceThatKeepsTheContract() {
    assertThatCode(() -> StartStopStress.check(Lawful::new, LIMIT)).doesNotThrowAnyException();
  }

  @Test
  void noticesAStopBeforeStartThatThrows() {
    assertThatThrownBy(() -> StartStopStress.check(ThrowsWhenStoppedFirst::new, LIMIT))
        .hasMessageContaining("stop before start");
  }

  @Test
  void noticesASecondStopThatHangs() {
    assertThatThrownBy(() -> StartStopStress.check(HangsOnSecondStop::new, Duration.ofMillis(300)))
        .hasMessageContaining("ended within");
  }

  private static final class Lawful implements Service {
    private boolean running;

    @Override
    public synchronized void start() {
      running = true;
    }

    @Override
    public synchronized void stop() {
      running = false;
    }

    @Override
    public synchronized Health health() {
      return running ? Health.healthy() : Health.starting("stopped");
    }
  }

  private static final class ThrowsWhenStoppedFirst implements Service {
    private boolean started;

    @Override
    public synchronized void start() {
      started = true;
    }

    @Override
    public synchronized void stop() {
      if (!started) {
        throw new IllegalStateException("not started");
      }
    }

    @Override
    public Health health() {
      return Health.healthy();
    }
  }

  private static final class HangsOnSecondStop implements Service {
    private int stops;

    @Override
    public void start() {}

    @Override
    public void stop() {
      stops++;
      if (stops > 1) {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }

    @Override
    public Health health() {
      return Health.healthy();
    }
  }
}
