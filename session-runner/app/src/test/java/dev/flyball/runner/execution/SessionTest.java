package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.runner.ledger.Watchdog;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.session.End;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What reaches a session from the outside")
class SessionTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  @DisplayName(
      "a deadline counts from the look at the clock, however long the runner was frozen afterwards"
          + " (INV-1)")
  void aFreezeLengthensNoDeadline() throws Exception {
    var agent = new FakeAgent("", "");
    var session = new OneSession(agent, 35 * SECOND, 40 * SECOND);
    session.attach();
    session.handle.extend(new Fence(20 * SECOND, 45 * SECOND, 50 * SECOND));

    // Boot clock 1000 s, elapsed clock 20 s; whatever happens after these were read.
    session.handle.moveDeadman(Duration.ofSeconds(1000), 20 * SECOND);

    assertThat(agent.deadlines).containsExactly(Duration.ofSeconds(1030));
  }

  @Test
  void aDeadmanThatCannotBeToldHoldsUpNoFence() throws Exception {
    var stuck = new CountDownLatch(1);
    var hanging =
        new FakeAgent("", "") {
          @Override
          public boolean extendTo(Duration end) {
            try {
              stuck.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return false;
          }
        };
    var first = new OneSession(hanging, Long.MAX_VALUE, Long.MAX_VALUE - 1);
    first.attach();
    first.handle.extend(new Fence(0, Long.MAX_VALUE, Long.MAX_VALUE));
    var due = new FakeAgent("", "");
    var second = new OneSession(due, 0, 0);
    second.attach();
    try (var watchdog =
        new Watchdog(
            () -> Map.of("a", first.handle, "b", second.handle), () -> 1, Duration.ofMillis(10))) {
      watchdog.start();

      await().untilAsserted(() -> assertThat(due.kills).isNotEmpty());
    } finally {
      stuck.countDown();
    }
  }

  @Test
  void aWatchdogOutlivesAMachineWithoutThreads() throws Exception {
    var calls = new AtomicInteger();
    var due = new FakeAgent("", "");
    var session = new OneSession(due, 0, 0);
    session.attach();
    try (var watchdog =
        new Watchdog(
            () -> Map.of("a", session.handle),
            () -> {
              if (calls.incrementAndGet() < 3) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return 1;
            },
            Duration.ofMillis(10))) {
      watchdog.start();

      await().untilAsserted(() -> assertThat(due.kills).isNotEmpty());
    }
  }

  @Test
  void aFenceDuringTheStartIsNotLostBehindAnotherCause() throws Exception {
    var agent = new FakeAgent("", "");
    var session = new OneSession(agent, 0, 0);
    session.handle.stop(End.of(End.Cause.UNWANTED, "withdrawn"));
    session.handle.guard(1);

    session.attach();

    await().untilAsserted(() -> assertThat(agent.kills).isNotEmpty());
    assertThat(agent.kills).allMatch(ladder -> ladder.terminate().equals(Duration.ZERO));
  }

  @Test
  void aRenewalCountsOnlyForASessionThatMayLiveOn() throws Exception {
    var gently = new OneSession(new FakeAgent("", ""), 0, 0);
    gently.handle.extend(new Fence(7, 8, 9));
    gently.handle.stop(End.of(End.Cause.INTERRUPTED, "runner shutdown"));
    assertThat(gently.handle.confirmedAt()).hasValue(7);
    assertThat(gently.handle.releasing()).isTrue();
    assertThat(gently.handle.confirmedAt()).isEmpty();

    var atOnce = new OneSession(new FakeAgent("", ""), 0, 0);
    atOnce.handle.stop(End.of(End.Cause.LOST, "lease ended"));
    assertThat(atOnce.handle.confirmedAt()).isEmpty();
  }
}
