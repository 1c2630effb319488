package dev.flyball.producer.redmine;

import dev.flyball.contract.poll.PollState;
import dev.flyball.producer.ProducerProcess;
import dev.flyball.testkit.KafkaFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Kills one of several producers every few seconds, most often the one that polls, and starts it
 * again: either immediately, so that it takes its own lease again, or after so long that another
 * has taken over. While no poll completes on a slow machine it waits longer each time.
 */
final class Killer implements AutoCloseable {
  private static final long EVERY_MILLIS = 3_000;
  private static final int MOST_DOUBLINGS = 3;
  private static final long AT_ONCE_MILLIS = 100;

  /** Longer than a lease. */
  private static final long LATE_MILLIS = 8_000;

  private final List<ProducerProcess> producers;
  private final KafkaFixture kafka;
  private final Random random;
  private final CountDownLatch enough = new CountDownLatch(1);
  private final Thread thread = Thread.ofPlatform().name("killer").unstarted(this::run);

  /**
   * When the producers were killed, by this machine's monotonic clock; written by the killer's
   * thread.
   */
  private final List<Long> kills = new ArrayList<>();

  private final AtomicInteger count = new AtomicInteger();

  Killer(List<ProducerProcess> producers, KafkaFixture kafka, long seed) {
    this.producers = producers;
    this.kafka = kafka;
    this.random = new Random(seed);
    thread.start();
  }

  /** Stops killing; all producers run when this returns. */
  @Override
  public void close() {
    enough.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producers.stream().filter(producer -> !producer.lives()).forEach(ProducerProcess::restart);
  }

  /** The number of kills so far. */
  int count() {
    return count.get();
  }

  /** The times of the kills; call after {@link #close}. */
  List<Long> kills() {
    return kills;
  }

  private void run() {
    try {
      int idle = 0;
      Optional<String> cursor = Optional.empty();
      while (!enough.await(EVERY_MILLIS << doublings(idle), TimeUnit.MILLISECONDS)) {
        Optional<String> before = cursor;
        cursor = state().map(PollState::cursor);
        idle = cursor.equals(before) ? idle + 1 : 0;
        ProducerProcess victim = random.nextInt(4) == 0 ? anyone() : holder();
        if (!victim.lives()) {
          continue;
        }
        victim.kill();
        kills.add(System.nanoTime());
        count.incrementAndGet();
        long wait = random.nextBoolean() ? AT_ONCE_MILLIS : LATE_MILLIS;
        if (!enough.await(wait, TimeUnit.MILLISECONDS)) {
          victim.restart();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static int doublings(int idle) {
    return Math.clamp(idle - 1, 0, MOST_DOUBLINGS);
  }

  private Optional<PollState> state() {
    String source = RedmineProducerMain.TENANT + "/" + RedmineProducerMain.SOURCE;
    return kafka.newest(kafka.topics().pollState(), source, PollState.class);
  }

  private ProducerProcess holder() {
    String owner = state().map(PollState::owner).orElse("");
    return producers.stream()
        .filter(producer -> producer.owner().equals(owner))
        .findFirst()
        .orElseGet(this::anyone);
  }

  private ProducerProcess anyone() {
    return producers.get(random.nextInt(producers.size()));
  }
}
