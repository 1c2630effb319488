package dev.flyball.bench;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Release;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.runner.RunnerApp;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A separate broker, one runner with cap 4, and requests written straight to it: what a session
 * costs without triage.
 */
final class Pool implements AutoCloseable {
  static final int CAP = 4;

  /**
   * How the observer of releases fetches where single sessions are timed: each entry, so that the
   * machine does not idle before the next.
   */
  static final Map<String, String> EACH = Map.of();

  /**
   * How it fetches where sessions are counted: a fetch for each entry would be a tenth of what a
   * session costs.
   */
  static final Map<String, String> SELDOM =
      Map.of("fetch.min.bytes", "1000000", "fetch.max.wait.ms", "50");

  final KafkaClients clients;
  private final BrokerProcess broker;
  private final RunnerApp runner;
  private final KafkaProducer<String, byte[]> producer;
  private final KafkaConsumer<String, byte[]> ledger;
  private long lastClaimMs;

  /**
   * Starts the broker and the runner.
   *
   * @param confinement how sessions are held
   * @param observer {@link #EACH} or {@link #SELDOM}
   */
  Pool(Path folder, Path agent, RunnerConfig.Confinement confinement, Map<String, String> observer)
      throws IOException {
    broker = BrokerProcess.start(folder.resolve("broker"));
    KafkaSettings settings = KafkaSettings.of(broker.bootstrapServers());
    clients = new KafkaClients(settings, "bench");
    new TopicProvisioner(clients).provision();
    Path repository = Files.createDirectory(folder.resolve("repository"));
    Path data = Files.createDirectory(folder.resolve("data"));
    var agents = RunnerConfig.Agents.of(new Command(agent.toString()), repository);
    LeaseTimes usual = LeaseTimes.DEFAULTS;
    // Without a distance between starts: what a runner can do, not what it holds back.
    var times = new LeaseTimes(usual.lease(), usual.renew(), usual.margin(), Duration.ZERO);
    RunnerConfig config =
        new RunnerConfig(
            "bench",
            data,
            new RunnerConfig.Ledger(CAP, List.of(), times),
            new RunnerConfig.Agents(
                agents.profiles(),
                agents.repositories(),
                agents.env(),
                agents.prompt(),
                confinement),
            new RunnerConfig.Slots(CAP, Duration.ZERO),
            SessionLimits.DEFAULT,
            new GateLimits(1_000, 0, 100));
    runner = new RunnerApp(config, settings, new Telemetry());
    runner.start();
    producer = clients.producer("requests");
    ledger = clients.consumer("releases", observer);
    ledger.assign(List.of(new TopicPartition(clients.topics().sessionLedger(), 0)));
  }

  long brokerPid() {
    return broker.pid();
  }

  /** Asks for sessions of these items, and waits until they are asked for. */
  void requests(int first, int count) {
    for (int i = first; i < first + count; i++) {
      request(item(i), request(i));
    }
    producer.flush();
  }

  /** Asks for a session of an item; null withdraws the request. */
  void request(String item, @Nullable SessionRequest request) {
    var _ =
        producer.send(
            new ProducerRecord<>(
                clients.topics().sessionRequests(),
                null,
                item,
                request == null ? null : RecordJson.bytes(request),
                EventHeaders.schema("session-request/1")));
  }

  /** Waits until as many sessions more were released. */
  void awaitReleases(int wanted, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    int seen = 0;
    while (seen < wanted) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            seen
                + " of "
                + wanted
                + " sessions ended within "
                + limit
                + "; health "
                + runner.health());
      }
      for (ConsumerRecord<String, byte[]> record : ledger.poll(Duration.ofMillis(100))) {
        LedgerEntry entry = RecordJson.read(record.value(), LedgerEntry.class);
        seen += entry instanceof Release ? 1 : 0;
        lastClaimMs = entry instanceof LedgerEntry.Claim ? record.timestamp() : lastClaimMs;
      }
    }
  }

  /** When the broker appended the newest claim that was seen, in milliseconds since 1970. */
  long lastClaimMs() {
    return lastClaimMs;
  }

  static String item(int number) {
    return "bench/items/" + number;
  }

  static SessionRequest request(int number) {
    var snapshot =
        new Snapshot(
            "1",
            "no-op",
            "nothing to do",
            "Active",
            false,
            "Task",
            3,
            List.of(),
            null,
            null,
            null,
            true,
            new Fingerprint("bench", "none"),
            null,
            null);
    var verdict = new Verdict("bench", true, 1, List.of(), 3, "bench", "none", "bench", 0, null);
    return new SessionRequest(
        "request-" + number, 1, 3, Instant.now(), Route.USUAL, snapshot, verdict, null, null);
  }

  /** A program with these lines. */
  static Path program(Path folder, String text) throws IOException {
    Path file = Files.writeString(folder.resolve("agent"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Override
  public void close() {
    runner.stop();
    producer.close();
    ledger.close();
    broker.close();
  }
}
