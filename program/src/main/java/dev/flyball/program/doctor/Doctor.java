package dev.flyball.program.doctor;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.text.Dollars;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.MachineLoad;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.roles.Role;
import dev.flyball.program.roles.RunningRoles;
import dev.flyball.runner.RunnerConfig;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.repository.Checkouts;
import dev.flyball.runner.repository.GitServer;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.repository.RepositoryAddress;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.scout.RepositoryFiles;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Checks everything that the configuration needs.
 *
 * @param runner what sessions need
 */
public record Doctor(
    Configuration configuration,
    AppConfigurations apps,
    RunnerConfig runner,
    Map<String, String> environment) {
  private static final int JDK = 25;
  private static final long MIB = 1 << 20;
  private static final long NEEDED_BYTES = 256L << 20;

  /** Every check, in the order in which a person would ask. */
  private static final List<Function<Doctor, Stream<Finding>>> CHECKS =
      List.of(
          _ -> Stream.of(jdk()),
          it -> Stream.of(load(MachineLoad.now(), it.runner.gate().loadPerCpu())),
          it -> Stream.of(memory(new MachineReadings().now(), it.runner.gate().memoryBytes())),
          it ->
              sessions(
                  MachineReadings.containerMemoryBytes(),
                  it.runner.session(),
                  it.runner.slots().count()),
          it -> Stream.of(containment(it.runner.agents().confinement())),
          it -> Stream.of(data(it.configuration.get(Keys.DATA))),
          it -> ports(it.configuration),
          Doctor::repositories,
          it -> AgentCheck.all(it.runner.agents().profiles(), it.environment),
          it -> Stream.of(AgentCheck.classifier(it.apps.classifier(), it.environment)),
          Doctor::budget,
          it -> SourceCheck.all(it.apps.producer().sources(), it.environment),
          Doctor::kafka);

  /** All findings. */
  public static List<Finding> examine(
      Configuration configuration, Map<String, String> environment) {
    var apps = new AppConfigurations(configuration);
    var doctor = new Doctor(configuration, apps, apps.runner("doctor"), environment);
    return CHECKS.stream().flatMap(check -> check.apply(doctor)).toList();
  }

  private static Finding jdk() {
    String found = System.getProperty("java.vendor") + " " + Runtime.version();
    return Finding.ok("jdk", found)
        .unhealthyIf(
            Runtime.version().feature() < JDK,
            "install a JDK " + JDK + " or newer and set JAVA_HOME");
  }

  static Finding load(MachineLoad load, double gate) {
    boolean busy = !load.averages().isEmpty() && load.averages().getFirst() > gate * load.cpus();
    return Finding.ok("load", load.cpus() + " CPUs, load " + load.averages())
        .unhealthyIf(load.overrun(), "the load is above twice the CPUs: " + MachineLoad.HELP)
        .degradedIf(
            busy,
            "a runner starts one session at most above "
                + gate
                + " a CPU (gate.load); wait or raise it");
  }

  /** What the gate of a runner reads, in a container what its limit leaves. */
  static Finding memory(MachineReadings.Reading machine, long gate) {
    long available = machine.memoryAvailableBytes();
    return available == Long.MAX_VALUE
        ? Finding.ok("memory", "this system does not say how much is available")
        : Finding.ok("memory", available / MIB + " MB available")
            .degradedIf(
                available < gate,
                "a runner starts one session at most below "
                    + gate / MIB
                    + " MB (gate.memory); free some or lower it");
  }

  /**
   * Whether all slots fit into a container's memory; nothing where it has no limit. The kernel ends
   * a container that uses more as a whole.
   */
  static Stream<Finding> sessions(long container, SessionLimits session, int slots) {
    if (container == Long.MAX_VALUE) {
      return Stream.empty();
    }
    long needed = session.containerBytes(slots);
    String each = slots + " slots of " + session.memoryBytes() / MIB + " MB";
    String found =
        each + " and 1024 MB for the runner, of " + container / MIB + " MB of this container";
    return Stream.of(
        Finding.ok("session memory", found)
            .degradedIf(
                needed > container,
                "lower sessions.slots or sessions.memory, or raise the container's limit to "
                    + needed / MIB
                    + " MB"));
  }

  /** Which containment works here, by running it. */
  private static Finding containment(RunnerConfig.Confinement confinement) {
    Path folder = null;
    try {
      // Not the data folder, because a runner may be using it.
      folder = Files.createTempDirectory("flyball-doctor");
      ContainmentProbe.Found probed =
          ContainmentProbe.strongest(
              ContainmentSettings.in(folder).withNetwork(confinement.network()),
              confinement.minimum(),
              confinement.maximum(),
              confinement.user());
      Containment found = probed.containment();
      String missing = String.join("; ", found.missing());
      String refused = String.join("; ", probed.unavailable());
      return Finding.ok(
          "containment",
          "level "
              + found
              + (missing.isEmpty() ? "" : " (" + missing + ")")
              + (refused.isEmpty() ? "" : "; not " + refused));
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
        AgentCall.remove(folder);
      }
    }
  }

  private static Finding data(Path folder) {
    Path existing = folder;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
      return Finding.unhealthy(
          "data",
          folder + " cannot be written",
          "make " + existing + " writable, or use another folder with --data");
    }
    try {
      return space(folder, Files.getFileStore(existing).getUsableSpace());
    } catch (IOException e) {
      return Finding.unhealthy(
          "data", folder + ": " + e.getMessage(), "use another folder with --data");
    }
  }

  /** The free space of the data folder; the embedded broker's own limit makes it unhealthy. */
  static Finding space(Path folder, long free) {
    return Finding.ok("data", folder + ", " + free / MIB + " MB free")
        .unhealthyIf(
            free < BrokerConfig.MIN_FREE_BYTES,
            "the disk is full: the embedded Kafka needs "
                + BrokerConfig.MIN_FREE_BYTES / MIB
                + " MB to start; free space there or use another folder with --data")
        .degradedIf(free < NEEDED_BYTES, "free some space: Kafka stops on a full disk");
  }

  /** The addresses of `up` that it would find taken; what runs over this folder has its own. */
  static Stream<Finding> ports(Configuration configuration) {
    if (RunningRoles.consoleOf(configuration.get(Keys.DATA).resolve(Role.CONSOLE.label()))
        .isPresent()) {
      return Stream.empty();
    }
    Stream<Key<ListenAddress>> embedded =
        Stream.of(Keys.BROKER_LISTEN).filter(_ -> configuration.bootstrapServers().isEmpty());
    return Stream.concat(Stream.of(Keys.CONSOLE_LISTEN), embedded)
        .flatMap(key -> {
          ListenAddress address = configuration.get(key);
          try (var probe = new ServerSocket()) {
            probe.bind(address.socket());
            return Stream.empty();
          } catch (IOException e) {
            String found = address + " cannot be listened on (" + e.getMessage() + ")";
            String fix = "free the port, or set " + key.name() + " to another before `up`";
            return Stream.of(Finding.degraded(key.name(), found, fix));
          }
        });
  }

  /** The repositories that agents read: the usual one, and those of sources. */
  private Stream<Finding> repositories() {
    Repositories all = runner.agents().repositories();
    return Stream.concat(
        Stream.of(repository("repository", all.usual(), "sessions.repo")),
        new TreeMap<>(all.bySource())
            .entrySet().stream()
                .filter(each -> !each.getValue().equals(all.usual()))
                .map(each ->
                    repository(
                        "repository " + each.getKey(),
                        each.getValue(),
                        "repo or branch of the source")));
  }

  private Finding repository(String check, Repositories.OfSource place, String key) {
    boolean fetched = place.address() instanceof RepositoryAddress.Url;
    try {
      return Finding.ok(check, readable(place));
    } catch (IOException e) {
      return Finding.unhealthy(
          check,
          (fetched ? place.address() + " cannot be fetched: " : "") + e.getMessage(),
          "correct " + key + (fetched ? ", or check the network" : ""));
    }
  }

  private String readable(Repositories.OfSource place) throws IOException {
    Optional<String> branch = place.branch();
    switch (place.address()) {
      case RepositoryAddress.Url url -> {
        var fetches = runner.agents().repositories().fetches();
        return url + " at " + start(new GitServer(place, fetches, environment).newest());
      }
      case RepositoryAddress.Folder(Path folder) -> {
        if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
          throw new IOException(folder + " is no readable folder");
        } else if (branch.isPresent()) {
          String commit = Checkouts.commitOf(folder, branch.get());
          return folder + ", branch " + branch.get() + " at " + start(commit);
        }
        boolean git = RepositoryFiles.commitOf(folder) != null;
        return folder + (git ? "" : " (in no git repository: analyses name no commit)");
      }
    }
  }

  private static String start(String commit) {
    return commit.substring(0, 10);
  }

  /** The daily budget, where an agent costs money. */
  private Stream<Finding> budget() {
    return Stream.of(apps.agents())
        .filter(agents -> agents.paid())
        .flatMap(agents -> agents.dailyBudget().stream())
        .map(micros -> Finding.ok("budget", "$" + Dollars.exact(micros) + " a day"));
  }

  /** Kafka, and how the polls of each tracker go. */
  private Stream<Finding> kafka() {
    var sources = apps.producer();
    var polls = new SourceCheck(sources.breaker(), Instant.now(), ProducerApp::ask);
    Optional<KafkaClients> clients = KafkaFinder.clients(configuration, "doctor");
    if (clients.isEmpty()) {
      String none = "none configured and no service runs in the data folder: `run` and `up` bring";
      return Stream.concat(
          Stream.of(Finding.ok("kafka", none + " their own")),
          polls.polls(sources.sources(), clients));
    }
    KafkaCheck kafka = KafkaCheck.of(clients.get());
    // Without poll-state it is unknown whether polls of a tracker are paused. Reading a topic that
    // is not there yet would take long.
    boolean polled = kafka.topics().contains(clients.get().topics().pollState());
    return kafka.topics().isEmpty()
        ? kafka.findings().stream()
        : Stream.concat(
            kafka.findings().stream(), polls.polls(sources.sources(), clients.filter(_ -> polled)));
  }
}
