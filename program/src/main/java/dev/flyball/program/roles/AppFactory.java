package dev.flyball.program.roles;

import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFigures;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.classifier.HttpModelCall;
import dev.flyball.program.classifier.OwnedCall;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.runner.RunnerApp;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.EnvironmentProxy;
import dev.flyball.triage.TriageApp;
import dev.flyball.triage.TriageConfig;
import dev.flyball.triage.classify.BudgetedClassifier;
import dev.flyball.triage.classify.Classifier;
import dev.flyball.triage.classify.ModelClassifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

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

  /** The app of a role, not started. */
  public Service app(Role role) {
    return switch (role) {
      case PRODUCER -> new ProducerRole(configurations.producer(), kafka(Role.PRODUCER), telemetry);
      case TRIAGE -> triage();
      case RUNNER -> runner();
      case CONSOLE ->
          new ConsoleApp(
              configurations.console(),
              kafka(Role.CONSOLE),
              telemetry,
              configurations.notifications(),
              () -> EnvironmentProxy.client(System.getenv()));
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

  /** A producer of these sources that polls only when it is called, not started. */
  public ProducerApp producerOnDemand(List<SourceConfig> sources) {
    return ProducerApp.onDemand(configurations.producer(sources), kafka(Role.PRODUCER), telemetry);
  }

  /** The app of a role in a run of one file, not started. */
  Service appOfRun(Role role, SourceConfig file) {
    return switch (role) {
      case PRODUCER -> producerOnDemand(List.of(file));
      case TRIAGE -> triage();
      case RUNNER -> {
        RunnerApp runner = runner();
        runner.add(file.key());
        yield runner;
      }
      case CONSOLE ->
          new ConsoleApp(
              configurations.console().withWholeTimelines(), kafka(Role.CONSOLE), telemetry);
    };
  }

  private RunnerApp runner() {
    return new RunnerApp(
        configurations.runner(configurations.runnerId()), kafka(Role.RUNNER), telemetry);
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
}
