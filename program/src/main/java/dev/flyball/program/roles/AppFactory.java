package dev.flyball.program.roles;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFigures;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.producer.SourceChanges;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.classifier.HttpModelCall;
import dev.flyball.program.classifier.OwnedCall;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Keys;
import dev.flyball.runner.RunnerApp;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.EnvironmentProxy;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.classify.BudgetedClassifier;
import dev.flyball.triage.classify.Classifier;
import dev.flyball.triage.classify.ModelClassifier;
import dev.flyball.triage.classify.RulesClassifier;
import dev.flyball.triage.classify.ShadowComparison;
import dev.flyball.triage.classify.ShadowRun;
import dev.flyball.writeback.WriteBackApp;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes the apps of one process, all with one Kafka and one registry. */
public final class AppFactory {
  private final AppConfigurations configurations;
  private final Telemetry telemetry;
  private final KafkaFigures figures;

  /** Nothing is opened yet. */
  public AppFactory(AppConfigurations configurations, Telemetry telemetry) {
    this.configurations = configurations;
    this.telemetry = telemetry;
    this.figures = new KafkaFigures(telemetry.registry());
    telemetry.beforeScrape(figures::measure);
  }

  /**
   * Makes missing topics and verifies the others.
   *
   * @param purpose whose Kafka properties are used: the role's in a process that runs no other role
   * @throws dev.flyball.kafka.KafkaFailure with one line if the broker does not answer or a topic
   *     is wrong
   */
  public void provision(String purpose) {
    new TopicProvisioner(clients(purpose)).provision();
  }

  /**
   * Checks whether a role may write.
   *
   * @throws dev.flyball.kafka.KafkaFailure if it may not: with one line, before anything is read or
   *     claimed
   */
  public void requireWrite(Role role) {
    KafkaClients clients = clients(role.label());
    written(role, clients.topics(), configurations.classifier()).forEach(clients::requireWrite);
  }

  /** What a role could not do without; triage books what a model costs. */
  static List<String> written(Role role, Topics topics, ConfiguredClassifier classifier) {
    return switch (role) {
      case PRODUCER -> List.of(topics.workItems());
      case TRIAGE -> {
        var all = new ArrayList<>(List.of(topics.sessionRequests()));
        // Into the ledger it writes what a model costs.
        if (!(classifier instanceof ConfiguredClassifier.Rules)) {
          all.add(topics.sessionLedger());
        }
        yield List.copyOf(all);
      }
      case RUNNER -> List.of(topics.sessionLedger());
      case CONSOLE -> List.of(topics.deadLetters(), topics.metrics());
    };
  }

  /** Clients for the program's own reading. */
  public KafkaClients clients(String purpose) {
    return new KafkaClients(configurations.kafka(purpose), purpose);
  }

  /**
   * The app of a role, not started.
   *
   * @param file the only source of a run; null for a service
   */
  Service app(Role role, @Nullable SourceConfig file) {
    return switch (role) {
      case PRODUCER ->
          file == null
              ? new ProducerRole(configurations.producer(), kafka(role), telemetry)
              : producerOnDemand(List.of(file));
      case TRIAGE -> triage();
      case RUNNER -> {
        String label = configurations.label(role.label());
        var runner = new RunnerApp(configurations.runner(label), kafka(role), telemetry);
        if (file != null) {
          runner.add(file.key());
        }
        yield runner;
      }
      case CONSOLE ->
          file == null
              ? new ConsoleApp(
                  configurations.console(),
                  kafka(role),
                  telemetry,
                  configurations.notifications(),
                  configurations.traces().orElse(null),
                  () -> EnvironmentProxy.client(System.getenv()))
              : new ConsoleApp(
                  configurations.console().withWholeTimelines(), kafka(role), telemetry);
    };
  }

  private Service triage() {
    TriageConfig triage = configurations.triage();
    KafkaSettings kafka = kafka(Role.TRIAGE);
    return call(configurations, triage.data().resolve("calls"))
        .<Service>map(call -> {
          var budgets = new KafkaClients(kafka, "triage-budgets");
          Classifier classifier = model(configurations, call, budgets);
          return new TriageRole(new TriageApp(triage, kafka, telemetry, classifier), call);
        })
        .orElseGet(() -> new TriageApp(triage, kafka, telemetry));
  }

  /**
   * How the model of a configuration's classifier is asked, not opened; empty for the rules.
   *
   * @param folder where calls of an agent program are journaled
   */
  static Optional<OwnedCall> call(AppConfigurations configurations, Path folder) {
    return switch (configurations.classifier()) {
      case ConfiguredClassifier.Rules rules -> Optional.empty();
      case ConfiguredClassifier.ByAgent by -> {
        RunnerConfig sessions = configurations.runner("triage");
        yield Optional.of(
            new AgentCall(
                by,
                folder,
                sessions.agents().env(),
                sessions.agents().confinement(),
                AgentCall.limits(by.limit(), sessions.session().memoryBytes()),
                System.getenv()));
      }
      case ConfiguredClassifier.ByMessages by ->
          Optional.of(new HttpModelCall(by, System.getenv()));
    };
  }

  /**
   * A model as a classifier that is asked while the budgets allow it.
   *
   * @param ledger reads the ledger; the configured budgets count until it has one
   */
  static Classifier model(AppConfigurations configurations, OwnedCall call, KafkaClients ledger) {
    long reserve = configurations.classifier().reserveMicros();
    var model =
        new ModelClassifier(
            call,
            configurations.triagePrompt(),
            reserve,
            TriageConfig.BATCH_BYTES,
            () -> UUID.randomUUID().toString());
    return new BudgetedClassifier(
        model, new BudgetedClassifier.LedgerBudgets(ledger, configurations.budgets()), reserve);
  }

  /**
   * Has the newest snapshots of items judged by the classifier of another configuration, and
   * compares. Kafka and the data folder are those of this one; classifier, batches and, until the
   * ledger has one, the daily budget are the other's.
   *
   * @param clients of the Kafka whose items are read
   * @param own the configuration of that Kafka's services
   * @param tried the configuration that is tried
   * @param since items that changed from this time on
   * @return empty if a signal ended it
   * @throws StartFailure with one line if it cannot begin or go on
   */
  public static Optional<ShadowComparison> shadow(
      KafkaClients clients, Configuration own, Configuration tried, Instant since) {
    var other = new AppConfigurations(tried);
    Path calls = own.get(Keys.DATA).resolve("shadow");
    Signals signals = Signals.caught();
    boolean rules = other.classifier() instanceof ConfiguredClassifier.Rules;
    try (DataLock _ = rules ? null : DataLock.take(calls);
        OwnedCall call = call(other, calls).orElse(null)) {
      Classifier classifier = new RulesClassifier();
      if (call != null) {
        call.open();
        var _ = signals.first().thenRun(call::cease);
        classifier = model(other, call, clients);
      }
      var settings =
          new ShadowRun.Settings(since, other.triage().batchItems(), TriageConfig.BATCH_BYTES);
      return Optional.of(new ShadowRun(clients, classifier, settings, () -> !signals.came()).run());
    } catch (StartFailure e) {
      if (signals.came()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** A producer of these sources that polls only when it is called, not started. */
  public ProducerApp producerOnDemand(List<SourceConfig> sources) {
    return ProducerApp.onDemand(configurations.producer(sources), kafka(Role.PRODUCER), telemetry);
  }

  private KafkaSettings kafka(Role role) {
    return configurations.kafka(role.label()).shownBy(figures);
  }

  /**
   * The role {@code triage} where a model judges: triage-stream, and what its calls need, which is
   * ready before the first call and closed after the last.
   */
  record TriageRole(TriageApp triage, OwnedCall model) implements Service {
    @Override
    public void start() {
      model.open();
      triage.start();
    }

    /** The call in flight ends first: its batch is asked again at the next start. */
    @Override
    public void stop() {
      model.cease();
      triage.stop();
      model.close();
    }

    @Override
    public Health health() {
      return triage.health();
    }
  }

  /**
   * The role {@code producer}: polls trackers, and writes analyses back to the same trackers. Both
   * need the credentials of the sources and share their limits.
   */
  public static final class ProducerRole implements Service {
    private final ProducerApp producer;
    private final WriteBackApp writeBack;

    /** Nothing is opened before {@link #start}. */
    public ProducerRole(ProducerConfig config, KafkaSettings kafka, Telemetry telemetry) {
      var limits = new TrackerLimits();
      this.producer = new ProducerApp(config, kafka, telemetry, limits);
      this.writeBack =
          new WriteBackApp(
              config.data().resolve("write-back"), config.sources(), kafka, telemetry, limits);
    }

    @Override
    public void start() {
      producer.start();
      writeBack.start();
    }

    /** {@link ProducerApp#hint}. */
    Optional<Boolean> hint(String source) {
      return producer.hint(source);
    }

    /**
     * Applies another configuration from now on. Everything that may fail is opened first: a
     * failure leaves everything as it was.
     *
     * @throws RuntimeException if a source or its write-back cannot be opened
     */
    SourceChanges reconfigure(ProducerConfig next) {
      Runnable prepared = writeBack.prepare(next.sources());
      SourceChanges changes = producer.reconfigure(next);
      prepared.run();
      return changes;
    }

    /** Write-back ends first: its trackers are still polled while a delivery is finished. */
    @Override
    public void stop() {
      producer.cease();
      writeBack.stop();
      producer.stop();
    }

    @Override
    public Health health() {
      return producer.health().and(writeBack.health());
    }
  }
}
