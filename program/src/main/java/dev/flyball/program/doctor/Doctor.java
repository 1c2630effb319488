package dev.flyball.program.doctor;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.ops.telemetry.MachineLoad;
import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.program.classifier.CallHost;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;

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
    findings.addAll(MachineCheck.all(runner.gate().loadPerCpu(), runner.gate().memoryBytes()));
    findings.addAll(
        MachineCheck.sessions(
            MachineReadings.containerMemoryBytes(), runner.session(), runner.slots().count()));
    findings.add(ContainmentCheck.run(runner.agents().confinement()));
    findings.add(PlacesCheck.data(configuration.get(Keys.DATA)));
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
              "none configured and no service runs in the data folder: `run` and `up` bring their"
                  + " own"));
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

  /** Checks which containment works here, by running it. */
  static final class ContainmentCheck {
    private ContainmentCheck() {}

    static Finding run(RunnerConfig.Confinement confinement) {
      Path folder = null;
      try {
        // Not the data folder, because a runner may be using it.
        folder = Files.createTempDirectory("flyball-doctor");
        ContainmentProbe.Found found =
            ContainmentProbe.strongest(
                ContainmentSettings.in(folder).withNetwork(confinement.network()),
                confinement.minimum(),
                confinement.maximum(),
                confinement.user());
        return found(found.containment(), String.join("; ", found.unavailable()));
      } catch (CannotStart e) {
        return Finding.unhealthy(
            "containment",
            "none of level " + confinement.minimum().label() + " or stronger works here",
            String.valueOf(e.getMessage()));
      } catch (IOException e) {
        return Finding.unhealthy(
            "containment",
            "cannot be tried: " + e.getMessage(),
            "make the temporary folder writable");
      } finally {
        if (folder != null) {
          CallHost.remove(folder);
        }
      }
    }

    private static Finding found(Containment containment, String refused) {
      String missing = String.join("; ", containment.missing());
      return Finding.ok(
          "containment",
          "level "
              + containment
              + (missing.isEmpty() ? "" : " (" + missing + ")")
              + (refused.isEmpty() ? "" : "; not " + refused));
    }
  }

  /** Checks processors, load, memory and JDK. */
  static final class MachineCheck {
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final int JDK = 25;
    private static final long MIB = 1 << 20;

    private MachineCheck() {}

    static List<Finding> all(double gateLoad, long gateMemory) {
      return List.of(jdk(), load(MachineLoad.now(), gateLoad), memory(available(), gateMemory));
    }

    static Finding load(MachineLoad load, double gateLoad) {
      String found = load.cpus() + " CPUs, load " + load.averages();
      boolean busy =
          !load.averages().isEmpty() && load.averages().getFirst() > gateLoad * load.cpus();
      return Finding.ok("load", found)
          .unhealthyIf(
              load.overrun(),
              "the load is above twice the CPUs: find the programs with the machine's `top`; lower"
                  + " the cap only if ./flyball ps lists sessions, other programs do not obey it")
          .degradedIf(
              busy,
              "a runner starts one session at most above "
                  + gateLoad
                  + " a CPU (gate.load); wait or raise it");
    }

    static Finding memory(OptionalLong available, long gateMemory) {
      if (available.isEmpty()) {
        return Finding.ok("memory", "this system does not say how much is available");
      }
      return Finding.ok("memory", available.getAsLong() / MIB + " MB available")
          .degradedIf(
              available.getAsLong() < gateMemory,
              "a runner starts one session at most below "
                  + gateMemory / MIB
                  + " MB (gate.memory); free some or lower it");
    }

    /**
     * Whether all slots fit into a container's memory; nothing where it has no limit. The kernel
     * ends a container that uses more as a whole.
     */
    static List<Finding> sessions(long container, SessionLimits session, int slots) {
      if (container == Long.MAX_VALUE) {
        return List.of();
      }
      long needed = session.containerBytes(slots);
      String found =
          slots
              + " slots of "
              + session.memoryBytes() / MIB
              + " MB and 1024 MB for the runner, of "
              + container / MIB
              + " MB of this container";
      return List.of(
          Finding.ok("session memory", found)
              .degradedIf(
                  needed > container,
                  "lower sessions.slots or sessions.memory, or raise the container's limit to "
                      + needed / MIB
                      + " MB"));
    }

    private static Finding jdk() {
      String found = System.getProperty("java.vendor") + " " + Runtime.version();
      return Finding.ok("jdk", found)
          .unhealthyIf(
              Runtime.version().feature() < JDK,
              "install a JDK " + JDK + " or newer and set JAVA_HOME");
    }

    private static OptionalLong available() {
      try (Stream<String> lines = Files.lines(MEMINFO)) {
        return lines
            .filter(line -> line.startsWith("MemAvailable:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
            .findFirst();
      } catch (IOException notLinux) {
        return OptionalLong.empty();
      }
    }
  }

  /** Checks whether Kafka answers and its topics have the required settings. Creates no topic. */
  static final class BrokerCheck {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final String OFFSETS_KEPT = "offsets.retention.minutes";

    /** Kafka's own default, and how long the questions of triage are kept. */
    private static final Duration LEAST_KEPT = Duration.ofDays(7);

    private BrokerCheck() {}

    static List<Finding> all(KafkaClients clients) {
      var findings = new ArrayList<Finding>();
      try {
        int brokers = clients.reach(LIMIT);
        findings.add(Finding.ok("kafka", clients.bootstrapServers() + ", " + brokers + " brokers"));
        findings.addAll(topics(clients));
      } catch (KafkaFailure e) {
        findings.add(
            Finding.unhealthy(
                "kafka",
                String.valueOf(e.getMessage()),
                "start it, or correct --bootstrap-servers"));
      }
      return findings;
    }

    private static List<Finding> topics(KafkaClients clients) {
      Set<String> there;
      try (Admin admin = clients.admin("doctor")) {
        there = admin.listTopics().names().get();
      } catch (ExecutionException e) {
        return List.of(
            Finding.unhealthy(
                "topics",
                "cannot be listed: " + e.getMessage(),
                "check the broker's log and access rules"));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return List.of();
      }
      var findings = new ArrayList<Finding>();
      int right = 0;
      var missing = new ArrayList<String>();
      for (TopicSpec spec : clients.topics().specs()) {
        if (!there.contains(spec.name())) {
          missing.add(spec.name());
          continue;
        }
        try {
          new TopicProvisioner(clients).provision(List.of(spec));
          right++;
        } catch (KafkaFailure e) {
          findings.add(
              Finding.unhealthy(
                  "topic " + spec.name(), String.valueOf(e.getMessage()), "see docs/topics.md"));
        }
      }
      String found =
          right
              + " as they must be"
              + (missing.isEmpty()
                  ? ""
                  : ", made at the next start: " + String.join(", ", missing));
      findings.addFirst(Finding.ok("topics", found));
      return findings;
    }

    /**
     * How long Kafka knows what a group has read that has no member; nothing if it is not shown.
     */
    static List<Finding> offsets(KafkaClients clients) {
      try (Admin admin = clients.admin("doctor")) {
        int node = admin.describeCluster().nodes().get().iterator().next().id();
        var broker = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(node));
        return admin.describeConfigs(List.of(broker)).all().get().values().stream()
            .map(each -> each.get(OFFSETS_KEPT))
            .filter(Objects::nonNull)
            .map(each -> offsets(Duration.ofMinutes(Long.parseLong(each.value()))))
            .toList();
      } catch (ExecutionException e) {
        return List.of(
            Finding.absent(
                "offsets",
                OFFSETS_KEPT + " cannot be read: " + OneLine.of(e.getCause()),
                "allow DescribeConfigs on the cluster, or check it yourself"));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return List.of();
      }
    }

    static Finding offsets(Duration kept) {
      String found = OFFSETS_KEPT + " is " + kept.toMinutes() + " (" + kept.toHours() + " h)";
      return kept.compareTo(LEAST_KEPT) >= 0
          ? Finding.ok("offsets", found)
          : Finding.degraded(
              "offsets",
              found + ": after a longer stop records are read again",
              "raise it above your longest stop, to 10080 (7 days) at least");
    }
  }
}
