package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.PortBinding;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FreePort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.containers.BindMode;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;

/**
 * INV-1 to INV-6 over a cluster of three brokers, one of which is killed, stopped or frozen at any
 * time, while their clocks are a minute apart. {@code -Dflyball.brokers.minutes=30} for more than
 * CI has time for.
 */
@Tag("container")
@Timeout(7200)
final class ThreeBrokersIT {
  private static final Duration LONG =
      Duration.ofMinutes(Integer.getInteger("flyball.brokers.minutes", 0));

  private static final int CAP = 3;

  /** More than the sessions between two faults, so that something always waits. */
  private static final int WAITING = 8;

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final String AGENT =
      """
      grep -o 'parsing item [0-9]*' | head -n 1 >> "$HOME/ran"
      (sleep 600 &)
      sleep 2
      echo "Main.java line 1 is the cause"
      """;

  private enum Fault {
    KILL,
    STOP,
    FREEZE;

    void strike(ThreeBrokers brokers, int broker) {
      switch (this) {
        case KILL -> brokers.kill(broker);
        case STOP -> brokers.stop(broker);
        case FREEZE -> brokers.freeze(broker);
      }
    }
  }

  @Test
  void nothingIsLostOrDoubledWhileBrokersFailAndLeadersMove(@TempDir Path folder) throws Exception {
    long seed = Long.getLong("flyball.seed", System.nanoTime());
    System.out.println("three brokers: -Dflyball.seed=" + seed);
    var random = new Random(seed);
    var ahead = SteppedClock.in(folder.resolve("ahead"));
    var behind = SteppedClock.in(folder.resolve("behind"));
    ahead.step(Duration.ofSeconds(30));
    behind.step(Duration.ofSeconds(-30));
    var recoveries = new ArrayList<Duration>();
    int moves = 0;
    try (var brokers = new ThreeBrokers(List.of(ahead, behind));
        var cluster =
            Cluster.over(brokers.bootstrapServers(), Workplace.in(folder, AGENT))
                .configure(CAP, new Workplace.Clocks("60s", "1s", "5s"))
                .with(Map.of("FLYBALL_TOPICS_REPLICATION", "3"))) {
      cluster.place.write("ran", "");
      cluster.start(3);
      var faults = new ArrayList<>(List.of(Fault.values()));
      Collections.shuffle(faults, random);
      String ledger = Topics.DEFAULT.sessionLedger();
      long end = System.nanoTime() + LONG.toNanos();
      while (System.nanoTime() < end || recoveries.size() < faults.size()) {
        cluster.addWaiting(WAITING);
        cluster.awaitLive(1);
        int leader = brokers.leaderOf(ledger);
        // Every second fault meets the broker that orders the claims.
        int broker = recoveries.size() % 2 == 0 ? leader : random.nextInt(3);
        Fault fault = faults.get(recoveries.size() % faults.size());
        long began = System.nanoTime();
        fault.strike(brokers, broker);
        // It needs every part: the producer's poll, triage, a claim and the session.
        String added = "parsing item " + cluster.items();
        cluster.add(1);
        try {
          await("an item of after " + fault + " " + broker + " has a session")
              .atMost(PATIENCE)
              .until(() -> Files.readAllLines(folder.resolve("ran")).contains(added));
        } catch (ConditionTimeoutException e) {
          System.out.println(cluster.said());
          throw e;
        }
        recoveries.add(Duration.ofNanos(System.nanoTime() - began));
        brokers.bringBack(broker);
        brokers.awaitAll();
        if (brokers.leaderOf(ledger) != leader) {
          moves++;
        }
      }
      LedgerAudit audit = cluster.awaitSettled(PATIENCE);

      System.out.printf(
          "three brokers: %s; a session of a new item after %s; %d moves of the ledger's leader: ",
          faults, recoveries, moves);
      assertThat(audit.lostRequests(brokers.bootstrapServers())).isEmpty();
      assertThat(moves).as("leader changes").isPositive();
      cluster.assertAllAnalyzed(audit, CAP);
    }
  }

  /**
   * A cluster of three brokers, each in a container: brokers and controllers at once, two of which
   * must acknowledge a record. Every broker keeps its address when it is started again.
   */
  private static final class ThreeBrokers implements AutoCloseable {
    private static final int COUNT = 3;

    private final Network network = Network.newNetwork();
    private final List<Integer> ports =
        IntStream.range(0, COUNT).mapToObj(any -> FreePort.take()).toList();
    private final List<GenericContainer<?>> brokers = new ArrayList<>();

    /**
     * @param clocks the wall clock of each broker; fewer clocks leave the other brokers the
     *     machine's
     */
    ThreeBrokers(List<SteppedClock> clocks) {
      for (int i = 0; i < COUNT; i++) {
        brokers.add(broker(i));
        if (i < clocks.size()) {
          useClock(brokers.get(i), clocks.get(i));
        }
      }
      brokers.forEach(GenericContainer::start);
      awaitAll();
    }

    private GenericContainer<?> broker(int index) {
      int id = index + 1;
      int port = ports.get(index);
      var broker = new GenericContainer<>("apache/kafka:4.3.1");
      settings(id, port)
          .lines()
          .map(line -> line.split("=", 2))
          .forEach(each -> broker.withEnv("KAFKA_" + each[0], each[1]));
      return broker
          // Whoever starts this test has the image: a registry that answers slowly decides nothing.
          .withImagePullPolicy(image -> false)
          .withNetwork(network)
          .withNetworkAliases(name(id))
          .withExposedPorts(9092)
          // The first one has no listener before the second is there: awaitAll waits for all.
          .waitingFor(Wait.forSuccessfulCommand("true"))
          .withCreateContainerCmdModifier(command ->
              Objects.requireNonNull(command.getHostConfig())
                  .withPortBindings(PortBinding.parse("127.0.0.1:" + port + ":9092")));
    }

    private static String settings(int id, int port) {
      return """
      NODE_ID=%1$d
      PROCESS_ROLES=broker,controller
      CONTROLLER_QUORUM_VOTERS=%3$s
      LISTENERS=BROKERS://:19092,CLIENTS://:9092,CONTROLLER://:9093
      ADVERTISED_LISTENERS=BROKERS://%4$s:19092,CLIENTS://127.0.0.1:%2$d
      LISTENER_SECURITY_PROTOCOL_MAP=BROKERS:PLAINTEXT,CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT
      INTER_BROKER_LISTENER_NAME=BROKERS
      CONTROLLER_LISTENER_NAMES=CONTROLLER
      LOG_DIRS=/var/lib/kafka/data
      MIN_INSYNC_REPLICAS=2
      OFFSETS_TOPIC_REPLICATION_FACTOR=3
      OFFSETS_TOPIC_NUM_PARTITIONS=3
      TRANSACTION_STATE_LOG_REPLICATION_FACTOR=3
      TRANSACTION_STATE_LOG_NUM_PARTITIONS=3
      TRANSACTION_STATE_LOG_MIN_ISR=2
      GROUP_INITIAL_REBALANCE_DELAY_MS=0
      HEAP_OPTS=-Xmx320m
      """
          .formatted(
              id,
              port,
              IntStream.rangeClosed(1, COUNT)
                  .mapToObj(each -> each + "@" + name(each) + ":9093")
                  .collect(Collectors.joining(",")),
              name(id));
    }

    private static void useClock(GenericContainer<?> broker, SteppedClock clock) {
      clock.environment().forEach(broker::withEnv);
      clock
          .files()
          .forEach(file ->
              broker.withFileSystemBind(file.toString(), file.toString(), BindMode.READ_ONLY));
    }

    private static String name(int id) {
      return "broker-" + id;
    }

    /** The addresses for clients. */
    String bootstrapServers() {
      return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    /** Ends a broker as kill -9 does. */
    void kill(int index) {
      docker().killContainerCmd(id(index)).exec();
    }

    /** Stops a broker in order: it hands its partitions over first. */
    void stop(int index) {
      docker().stopContainerCmd(id(index)).withTimeout(60).exec();
    }

    /** Freezes every process of a broker. */
    void freeze(int index) {
      docker().pauseContainerCmd(id(index)).exec();
    }

    /** Starts a broker that was killed or stopped; lets a frozen one go on. */
    void bringBack(int index) {
      if (Boolean.TRUE.equals(
          docker().inspectContainerCmd(id(index)).exec().getState().getPaused())) {
        docker().unpauseContainerCmd(id(index)).exec();
      } else {
        docker().startContainerCmd(id(index)).exec();
      }
    }

    /** Waits until every broker is there and every partition has all its replicas. */
    void awaitAll() {
      await("three brokers with every replica in sync")
          .atMost(PATIENCE)
          .ignoreExceptions()
          .until(this::whole);
    }

    private boolean whole() throws ExecutionException, InterruptedException {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
        return admin.describeCluster().nodes().get().size() == COUNT
            && admin
                .describeTopics(admin.listTopics().names().get())
                .allTopicNames()
                .get()
                .values()
                .stream()
                .flatMap(topic -> topic.partitions().stream())
                .allMatch(partition -> partition.isr().size() == partition.replicas().size());
      }
    }

    /** The index of the broker that leads a topic's first partition. */
    int leaderOf(String topic) throws ExecutionException, InterruptedException {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
        var described = admin.describeTopics(List.of(topic)).topicNameValues().get(topic);
        Node leader = Objects.requireNonNull(described).get().partitions().getFirst().leader();
        return leader.id() - 1;
      }
    }

    private DockerClient docker() {
      return brokers.getFirst().getDockerClient();
    }

    private String id(int index) {
      return brokers.get(index).getContainerId();
    }

    @Override
    public void close() {
      brokers.forEach(GenericContainer::stop);
      network.close();
    }
  }
}
