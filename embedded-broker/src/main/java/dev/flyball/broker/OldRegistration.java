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

/**
 * Takes back the registration of a killed broker before the next one starts, by running the
 * controller alone for a moment.
 *
 * <p>A node that starts beside its own old registration takes itself for the leader of every
 * partition, under its old address. Its transaction coordinator then begins to end what was decided
 * before the kill and cannot reach anybody; as the registration expires, all partitions are without
 * a leader for a moment, and Kafka 4.2 and 4.3 take them for deleted then and leave their end
 * markers out (KAFKA-20734). Such a transaction stays open in the log though its coordinator counts
 * it as done, and no reader of committed records gets past it any more. Without the old
 * registration the coordinator begins once there is a leader to write to. Nor need the start wait
 * for the old registration to expire.
 */
final class OldRegistration {
  private static final long LIMIT_SECONDS = 60;
  private static final Duration PAUSE = Duration.ofMillis(50);

  private OldRegistration() {}

  /**
   * Takes it back; does nothing where there is none.
   *
   * @param config what the broker will start with
   * @param ports its ports
   * @throws BrokerStartFailed if the controller does not answer in time
   */
  static void takeBack(BrokerConfig config, Ports ports) {
    String address = BrokerConfig.LOOPBACK + ":" + ports.controller();
    var alone = new HashMap<>(BrokerProperties.of(config, ports));
    alone.put("process.roles", "controller");
    alone.put("listeners", BrokerProperties.CONTROLLER + "://" + address);
    alone.remove("inter.broker.listener.name");
    var controller = new KafkaRaftServer(new KafkaConfig(alone, false), Time.SYSTEM);
    try {
      controller.startup();
      forget(config.directory(), address);
    } finally {
      controller.shutdown();
      controller.awaitShutdown();
    }
  }

  private static void forget(Path directory, String controller) {
    var settings =
        Map.<String, Object>of("bootstrap.controllers", controller, "metric.reporters", "");
    long began = System.nanoTime();
    try (Admin admin = Admin.create(settings)) {
      // A controller that has not read its own log yet refuses, as one of too old a version would.
      while (!forgotten(admin, directory)) {
        if (System.nanoTime() - began > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
          throw failed(directory, new TimeoutException("its controller is not ready"));
        }
        Thread.sleep(PAUSE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(directory, e);
    }
  }

  private static boolean forgotten(Admin admin, Path directory) throws InterruptedException {
    try {
      admin.unregisterBroker(BrokerProperties.NODE_ID).all().get(LIMIT_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (ExecutionException e) {
      return switch (e.getCause()) {
        case BrokerIdNotRegisteredException none -> true;
        case UnsupportedVersionException notYet -> false;
        case RetriableException notYet -> false;
        case null, default -> throw failed(directory, e);
      };
    } catch (TimeoutException e) {
      throw failed(directory, e);
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
