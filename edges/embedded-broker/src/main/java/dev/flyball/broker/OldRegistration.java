package dev.flyball.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * Removes the registration of a killed broker before the next one starts, by briefly running the
 * controller alone.
 *
 * <p>A node that starts beside its own old registration takes itself for the leader of every
 * partition, under its old address. Its transaction coordinator then begins to end what was decided
 * before the kill, and can reach no broker. When the registration expires, all partitions briefly
 * have no leader. Kafka 4.2 and 4.3 then take them for deleted and omit their end markers
 * (KAFKA-20734).
 *
 * <p>Such a transaction stays open in the log although its coordinator treats it as done, and no
 * reader of committed records can pass it any more. Without the old registration the coordinator
 * begins once there is a leader to write to. The start also does not wait for the old registration
 * to expire.
 */
final class OldRegistration {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration ONE_ANSWER = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(50);

  private OldRegistration() {}

  /**
   * Removes the registration; does nothing if there is none.
   *
   * @param config the configuration with which the broker will start
   * @param ports the broker's ports
   * @param secret the broker's secret; null where every client may write
   * @throws BrokerStartFailed if the controller does not answer in time
   */
  static void takeBack(BrokerConfig config, Ports ports, @Nullable BrokerSecret secret) {
    var alone = new HashMap<>(BrokerProperties.of(config, ports, secret));
    alone.put("process.roles", "controller");
    alone.put("listeners", BrokerProperties.controller(ports));
    alone.remove("inter.broker.listener.name");
    var controller = new KafkaRaftServer(new KafkaConfig(alone, false), Time.SYSTEM);
    try {
      controller.startup();
      forget(config.directory(), ports.controller(), secret);
    } finally {
      controller.shutdown();
      controller.awaitShutdown();
    }
  }

  private static void forget(Path directory, int controller, @Nullable BrokerSecret secret) {
    String address = BrokerConfig.LOOPBACK + ":" + controller;
    var settings = new HashMap<String, Object>(secret == null ? Map.of() : secret.properties(""));
    settings.remove("bootstrap.servers");
    settings.put("bootstrap.controllers", address);
    settings.put("metric.reporters", "");
    long began = System.nanoTime();
    try (Admin admin = Admin.create(settings)) {
      while (!(isForgotten(admin, directory) && isIntroduced(admin, controller))) {
        if (System.nanoTime() - began > LIMIT.toNanos()) {
          throw failed(directory, new TimeoutException("its controller is not ready"));
        }
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(directory, e);
    }
  }

  private static boolean isForgotten(Admin admin, Path directory) throws InterruptedException {
    try {
      admin
          .unregisterBroker(BrokerProperties.NODE_ID)
          .all()
          .get(ONE_ANSWER.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      return switch (e.getCause()) {
        case BrokerIdNotRegisteredException none -> true;
        // A controller that has not read its own log yet answers like one whose version is too old.
        case UnsupportedVersionException notYet -> false;
        case RetriableException notYet -> false;
        case null, default -> throw failed(directory, e);
      };
    } catch (TimeoutException notYet) {
      return false;
    }
  }

  /** Whether the controller has registered with itself; stopped before, it logs an error. */
  private static boolean isIntroduced(Admin admin, int controller) throws InterruptedException {
    try {
      return admin
          .describeCluster()
          .nodes()
          .get(ONE_ANSWER.toMillis(), TimeUnit.MILLISECONDS)
          .stream()
          .anyMatch(node -> node.port() == controller);
    } catch (ExecutionException | TimeoutException notYet) {
      return false;
    }
  }

  private static BrokerStartFailed failed(Path directory, Exception cause) {
    return new BrokerStartFailed(
        "the registration of a killed broker in "
            + directory
            + " cannot be taken back ("
            + cause.getMessage()
            + "); see the log, then start again",
        cause);
  }
}
