package dev.flyball.bench;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;

/**
 * triage-stream with a million known items: its start with and without local state (target 30 s),
 * and how fast it drops a million unchanged snapshots beside a Streams app that only passes them on
 * (target: 0.7 of it). Both run as separate processes with the heap that triage-stream is shipped
 * with.
 */
final class DedupBench implements Bench {
  private static final int ITEMS = Integer.getInteger("bench.items", 1_000_000);
  private static final double LEAST_RATIO = 0.3;
  private static final String COPY = "bench-copy";
  private static final Duration LIMIT = Duration.ofMinutes(20);

  @Override
  public String name() {
    return "dedup";
  }

  @Override
  public void run(Place place) throws Exception {
    try (var broker = BrokerProcess.start(place.folder().resolve("broker"))) {
      var clients = new KafkaClients(KafkaSettings.of(broker.bootstrapServers()), "bench");
      new TopicProvisioner(clients).provision();
      try (Admin admin = clients.admin("bench")) {
        // The stream makes its changelog itself; here it has to be filled before.
        var states =
            new NewTopic(clients.topics().itemState(), 6, (short) 1)
                .configs(Map.of("cleanup.policy", "compact"));
        admin.createTopics(List.of(states, new NewTopic(COPY, 6, (short) 1))).all().get();
      }
      fill(clients);
      double passed = passedThrough(place, clients);
      double dropped = 0;
      String[] triage = {
        "triage",
        "--bootstrap-servers",
        broker.bootstrapServers(),
        "--set",
        "topics.replication=1",
        "--data",
        place.folder().resolve("triage").toString()
      };
      for (String state : List.of("without local state", "with local state")) {
        long before = System.nanoTime();
        try (var app = new Program(place, triage)) {
          app.awaitHealthy(LIMIT);
          double seconds = (System.nanoTime() - before) / 1e9;
          if (dropped == 0) {
            dropped = rate(clients, clients.topics().applicationId(), app::alive);
          }
          System.out.printf(
              Locale.ROOT,
              "   %d items, start %s: %.1f s, peak %.0f MB%n",
              ITEMS,
              state,
              seconds,
              Proc.megabytes(app.pid(), "VmHWM"));
        }
      }
      System.out.printf(
          Locale.ROOT,
          "   unchanged snapshots a second: %.0f dropped, %.0f passed through%n",
          dropped,
          passed);
      Gate.atLeast(LEAST_RATIO, dropped / passed, "unchanged snapshots dropped to passed through");
    }
  }

  /** Every item's state, then its unchanged snapshot. */
  private static void fill(KafkaClients clients) {
    Snapshot snapshot = Sample.fingerprinted("1", "It fails with an error. ".repeat(20));
    var state = Sample.state(snapshot, new ItemPhase.Analyzed("s"), 0, Instant.EPOCH);
    byte[] known = RecordJson.bytes(state);
    byte[] seen = RecordJson.bytes(snapshot);
    try (var producer = clients.producer("fill", Map.of("linger.ms", "50"))) {
      for (int n = 0; n < ITEMS; n++) {
        String key = "acme/bench/" + n;
        var _ = producer.send(new ProducerRecord<>(clients.topics().itemState(), key, known));
        var _ = producer.send(new ProducerRecord<>(clients.topics().workItems(), key, seen));
      }
    }
  }

  private static double passedThrough(Place place, KafkaClients clients) throws Exception {
    Path folder = place.folder().resolve("pass");
    Process app =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx192m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                PassThrough.class.getName(),
                String.valueOf(clients.settings().properties().get("bootstrap.servers")),
                clients.topics().workItems(),
                COPY,
                folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(place.folder().resolve("pass.log").toFile())
            .start();
    try {
      return rate(clients, PassThrough.APPLICATION, app::isAlive);
    } finally {
      app.destroyForcibly().waitFor();
    }
  }

  /** Records of work-items a second, from the group's first commit to its last. */
  private static double rate(KafkaClients clients, String group, BooleanSupplier alive)
      throws Exception {
    try (Admin admin = clients.admin("bench")) {
      var first = new long[2];
      Awaitility.await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> {
            if (!alive.getAsBoolean()) {
              throw new IllegalStateException(group + " ended before it had read every record");
            }
            long done = committed(admin, clients.topics().workItems(), group);
            if (done > 0 && first[1] == 0) {
              first[0] = done;
              first[1] = System.nanoTime();
            }
            return done >= ITEMS;
          });
      return (ITEMS - first[0]) / ((System.nanoTime() - first[1]) / 1e9);
    }
  }

  private static long committed(Admin admin, String topic, String group) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .entrySet()
        .stream()
        .filter(each -> each.getKey().topic().equals(topic) && each.getValue() != null)
        .mapToLong(each -> each.getValue().offset())
        .sum();
  }
}
