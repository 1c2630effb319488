package dev.flyball.triage;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.triage.classify.Classifier;
import dev.flyball.triage.classify.ClassifierService;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.topology.ReadGaps;
import dev.flyball.triage.topology.StreamService;
import dev.flyball.triage.topology.TriageTopology;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Folds snapshots into item states, has changed items classified in batches, and decides which
 * sessions should run. Creates its topics when they are missing and verifies them when they exist.
 */
public final class TriageApp implements Service {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

  private final TriageConfig config;
  private final KafkaClients clients;
  private final Telemetry telemetry;
  private final Classifier classifier;

  private boolean stopped;

  /** Written by start(), read by health(). */
  private volatile @Nullable Parts parts;

  /** The same; until the next start, because nothing else remembers the gaps. */
  private volatile Health gaps = Health.healthy();

  /** Creates the app with the rules classifier. Nothing is opened before {@link #start}. */
  public TriageApp(TriageConfig config, KafkaSettings kafka, Telemetry telemetry) {
    this(config, kafka, telemetry, new RulesClassifier());
  }

  /** Creates the app with this classifier. */
  public TriageApp(
      TriageConfig config, KafkaSettings kafka, Telemetry telemetry, Classifier classifier) {
    this.config = config;
    this.clients = new KafkaClients(kafka, "triage");
    this.telemetry = telemetry;
    this.classifier = classifier;
  }

  /** Every topic that it reads, all with committed offsets in its consumer group. */
  public static List<String> inputs(Topics topics) {
    return TriageTopology.inputs(topics);
  }

  private record Parts(StreamService stream, ClassifierService classifier) {}

  /**
   * Starts; readiness follows once the stream runs.
   *
   * @throws dev.flyball.kafka.KafkaFailure if no broker answers or a topic is wrong; one line with
   *     the fix
   * @throws dev.flyball.ops.telemetry.StartFailure if the data folder cannot be used
   */
  @Override
  public synchronized void start() {
    if (parts != null || stopped) {
      return;
    }
    // From 0 on: Prometheus sees no increase in a counter that begins with 1.
    List.of(Metric.TRIAGE_CALLS, Metric.DEAD_LETTERS, Metric.LATE_RECORDS)
        .forEach(metric -> telemetry.count(metric, 0));
    new TopicProvisioner(clients).provision();
    Topics topics = clients.topics();
    gaps =
        ReadGaps.find(
            clients,
            Map.of(
                topics.applicationId(),
                inputs(topics),
                ClassifierService.group(topics),
                List.of(topics.triageRequests())));
    var made = new Parts(stream(clients.topicId(topics.sessionLedger())), classifier());
    parts = made;
    made.classifier.start();
    made.stream.start();
  }

  /** Stops the classifier first, so that no call begins whose answer the stream would not take. */
  @Override
  public synchronized void stop() {
    stopped = true;
    Parts running = parts;
    if (running != null) {
      running.classifier.stop();
      running.stream.stop();
    }
  }

  @Override
  public Health health() {
    Parts running = parts;
    return running == null
        ? Health.starting("triage: not started")
        : running.stream.health().and(running.classifier.health()).and(gaps);
  }

  private StreamService stream(String ledgerTopicId) {
    return new StreamService(
        clients,
        new TriageTopology.Settings(
            clients.topics(),
            ledgerTopicId,
            config.machine(),
            clients.topics().spec(clients.topics().workItems()).partitions(),
            telemetry::count),
        config.data().resolve("triage").resolve("streams"));
  }

  private ClassifierService classifier() {
    return new ClassifierService(
        clients,
        classifier,
        new ClassifierService.Settings(
            config.batchItems(),
            TriageConfig.BATCH_BYTES,
            config.batchLinger(),
            FIRST_PAUSE,
            InstantSource.system(),
            telemetry::count));
  }
}
