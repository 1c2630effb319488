package dev.flyball.program.roles;

import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.DurationText;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Lets a service that starts before its broker wait for it. Services that are started together come
 * up in any order. A service that exits instead is restarted by its service manager only at growing
 * intervals.
 *
 * @param limit how long it waits; zero fails at the first attempt
 * @param progress takes one line every ten seconds
 * @param ended whether a signal came
 */
record BrokerWait(Duration limit, Consumer<String> progress, BooleanSupplier ended) {
  private static final Duration LINE_EVERY = Duration.ofSeconds(10);

  /** A signal is seen within this time. */
  private static final Duration ATTEMPT = Duration.ofSeconds(3);

  /** Attempts are this far apart even where each one fails fast. */
  private static final Duration PAUSE = Duration.ofMillis(250);

  /**
   * Returns once a broker answers and {@code provision} has found or made its topics.
   *
   * @throws StartFailure if none does within the limit, or a signal came
   * @throws dev.flyball.kafka.KafkaFailure if a broker answers and denies the login or the write,
   *     or a topic is wrong: waiting does not help
   */
  void provision(KafkaClients clients, Runnable provision) {
    if (limit.isZero()) {
      // The first request of provision may wait a minute for its answer.
      clients.reach(ATTEMPT);
      provision.run();
      return;
    }
    long began = System.nanoTime();
    long nextLine = began;
    while (true) {
      try {
        clients.reach(ATTEMPT);
        provision.run();
        return;
      } catch (BrokerUnreachable e) {
        long now = System.nanoTime();
        long left = limit.toNanos() - (now - began);
        if (ended.getAsBoolean()) {
          throw new StartFailure("stopped while it waited for Kafka", e);
        }
        if (left <= 0) {
          throw new StartFailure(
              e.getMessage() + "; waited " + DurationText.format(limit) + " (broker.wait)", e);
        }
        if (now >= nextLine) {
          nextLine = now + LINE_EVERY.toNanos();
          progress.accept(
              "waiting for Kafka at "
                  + clients.bootstrapServers()
                  + ": "
                  + e.problem()
                  + "; gives up in "
                  + Duration.ofNanos(left).toSeconds()
                  + " s (broker.wait)");
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while it waited for Kafka", e);
    }
  }
}
