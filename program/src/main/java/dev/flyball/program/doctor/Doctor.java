package dev.flyball.program.doctor;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.gate.MachineReadings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks everything that the configuration needs. */
public final class Doctor {
  private Doctor() {}

  /**
   * What is wrong with the sources as far as this machine knows, one line each; sends no request to
   * a tracker.
   */
  public static List<String> warnings(
      Configuration configuration, Map<String, String> environment) {
    return SourceCheck.warnings(
        new AppConfigurations(configuration).producer().sources(), environment);
  }

  /** All findings, in the order in which a person would ask. */
  public static List<Finding> examine(
      Configuration configuration, Map<String, String> environment) {
    var apps = new AppConfigurations(configuration);
    RunnerConfig runner = apps.runner("doctor");
    var findings = new ArrayList<Finding>();
    findings.addAll(
        MachineCheck.all(configuration.get(Keys.GATE_LOAD), configuration.get(Keys.GATE_MEMORY)));
    findings.addAll(
        MachineCheck.sessions(
            MachineReadings.containerMemoryBytes(), runner.session(), runner.slots().count()));
    findings.add(ContainmentCheck.run(runner.agents().confinement()));
    findings.add(PlacesCheck.data(configuration.path(Keys.DATA)));
    findings.addAll(PlacesCheck.repositories(runner.agents().repositories(), environment));
    findings.addAll(AgentCheck.all(runner.agents().profiles(), environment));
    findings.add(AgentCheck.classifier(apps.classifier(), environment));
    if (apps.agents().paid()) {
      apps.agents().dailyBudget().map(AgentCheck::budget).ifPresent(findings::add);
    }
    findings.addAll(SourceCheck.all(apps.producer().sources(), environment));
    Optional<KafkaClients> clients = KafkaFinder.clients(configuration, "doctor");
    ProducerConfig producer = apps.producer();
    var polls =
        new PollCheck(producer.breaker(), Instant.now(), System::nanoTime, ProducerApp::ask);
    if (clients.isEmpty()) {
      findings.add(
          Finding.ok(
              "kafka",
              "none configured and none on "
                  + configuration.get(Keys.BROKER_LISTEN)
                  + ": `run` and `up` bring their own"));
      findings.addAll(polls.all(producer.sources()));
    } else {
      List<Finding> broker = BrokerCheck.all(clients.get());
      findings.addAll(broker);
      // Without poll-state it is unknown whether polls of a tracker are paused.
      if (broker.stream().allMatch(finding -> finding.state() == Finding.State.OK)) {
        findings.addAll(BrokerCheck.offsets(clients.get()));
        findings.add(TransactionCheck.run(clients.get()));
        findings.addAll(
            PollCheck.hasTopic(clients.get())
                ? polls.all(producer.sources(), clients.get())
                : polls.all(producer.sources()));
      }
    }
    return findings;
  }
}
