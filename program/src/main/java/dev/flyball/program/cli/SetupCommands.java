package dev.flyball.program.cli;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.notify.Notifier;
import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.classifier.AgentCall;
import dev.flyball.program.cli.Options.ConfigurationOptions;
import dev.flyball.program.cli.Options.JsonOption;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.doctor.Doctor;
import dev.flyball.program.doctor.Finding;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.roles.Role;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.tracker.http.EnvironmentProxy;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about the program and its machine rather than about items. */
final class SetupCommands {
  private SetupCommands() {}

  @Command(name = "doctor", mixinStandardHelpOptions = true)
  static Exit doctor(@Mixin KafkaOptions options, @Mixin TableOptions table) {
    List<Finding> findings = Doctor.examine(options.load(), options.terminal.environment());
    var _ =
        table.print(
            Table.of(findings)
                .column("check", Finding::check)
                .column("state", it -> it.state().label())
                .column("found", Finding::found)
                .column("fix", Finding::fix));
    Finding.State worst =
        findings.stream()
            .map(Finding::state)
            .max(Comparator.naturalOrder())
            .orElse(Finding.State.OK);
    return switch (worst) {
      case ABSENT, OK -> Exit.DONE;
      case DEGRADED -> Exit.DEGRADED;
      case UNHEALTHY -> Exit.UNHEALTHY;
    };
  }

  @Command(name = "config", mixinStandardHelpOptions = true)
  static Exit config(@Mixin ConfigurationOptions options, @Mixin TableOptions table) {
    var apps = new AppConfigurations(options.load());
    apps.check();
    return table.print(
        Table.of(apps.rows())
            .column("key", Configuration.Row::key)
            .column("value", Configuration.Row::value)
            .column("source", Configuration.Row::source));
  }

  @Command(name = "topics", mixinStandardHelpOptions = true)
  static Exit topics(
      @Mixin KafkaOptions options,
      @Mixin TableOptions table,
      @Option(names = "--print-commands") boolean commands,
      @Option(names = "--print-acls") boolean acls,
      @Option(names = "--command-config", paramLabel = "FILE") @Nullable String login) {
    Configuration configuration = options.load();
    var apps = new AppConfigurations(configuration);
    if (commands || acls) {
      KafkaSettings kafka = apps.kafka("operator");
      var tool = new AdminTool(kafka.properties().getOrDefault("bootstrap.servers", ""), login);
      PrintStream out = options.terminal.out();
      if (commands) {
        tool.createTopics(kafka.topics(), kafka.replication()).forEach(out::println);
      }
      if (acls) {
        tool.grantRights(kafka.topics()).forEach(out::println);
      }
      return Exit.DONE;
    }
    Optional<KafkaClients> clients = KafkaFinder.clients(configuration, "topics");
    Map<String, Long> sizes = clients.map(SetupCommands::sizes).orElse(Map.of());
    Topics topics = apps.topics();
    var rows = new Table("topic", "partitions", "cleanup", "schema", "offsets");
    for (TopicSpec spec : topics.specs()) {
      String name = spec.name();
      String cleanup = spec.settings().getOrDefault("cleanup.policy", "delete");
      rows.row(name, spec.partitions(), cleanup, spec.schema(), sizes.get(name));
    }
    rows.row(topics.itemState(), 6, "compact", "item-state/1", sizes.get(topics.itemState()));
    if (clients.isEmpty()) {
      options.terminal.note(
          "Kafka does not answer, so the column `offsets` is empty; start ./flyball up, or name a"
              + " running Kafka with --bootstrap-servers");
    }
    return table.print(rows);
  }

  /** How many records each topic holds at most, by offsets; compacted ones hold fewer. */
  private static Map<String, Long> sizes(KafkaClients clients) {
    var _ = clients.reach(Duration.ofSeconds(5));
    try (Consumer<String, byte[]> consumer = clients.consumer("sizes", Map.of())) {
      List<TopicPartition> partitions =
          consumer.listTopics().values().stream()
              .flatMap(List::stream)
              .map(each -> new TopicPartition(each.topic(), each.partition()))
              .toList();
      Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
      return consumer.endOffsets(partitions).entrySet().stream()
          .collect(
              Collectors.groupingBy(
                  end -> end.getKey().topic(),
                  Collectors.summingLong(
                      end -> end.getValue() - first.getOrDefault(end.getKey(), 0L))));
    }
  }

  @Command(name = "notify", mixinStandardHelpOptions = true)
  static Exit notifications(@Mixin ConfigurationOptions options, @Mixin TableOptions table) {
    NotifyConfig config = new AppConfigurations(options.load()).notifications();
    return table.print(
        Table.of(config.targets())
            .column("target", NotifyTarget::name)
            .column("type", target -> target.type().label())
            .column(
                "on",
                target ->
                    target.on().stream()
                        .sorted()
                        .map(Notification.Kind::label)
                        .collect(Collectors.joining(",")))
            .column("tenant", NotifyTarget::tenant));
  }

  @Command(name = "test", mixinStandardHelpOptions = true)
  static Exit notifyTest(
      @Mixin ConfigurationOptions options,
      @Mixin TableOptions table,
      @Parameters(arity = "0..1", paramLabel = "NAME") @Nullable String name) {
    NotifyConfig config = new AppConfigurations(options.load()).notifications();
    List<NotifyTarget> targets =
        config.targets().stream()
            .filter(target -> name == null || target.name().equals(name))
            .toList();
    if (targets.isEmpty()) {
      throw new ConfigurationError(
          config.targets().isEmpty()
              ? "no targets are configured; add notify to flyball.yaml"
              : "no target '" + name + "'; ./flyball notify lists them");
    }
    var problems = new LinkedHashMap<NotifyTarget, String>();
    try (HttpClient client = EnvironmentProxy.client(options.terminal.environment())) {
      for (NotifyTarget target : targets) {
        problems.put(target, Notifier.test(target, config, client, Instant.now()).orElse(""));
      }
    }
    var _ =
        table.print(
            Table.of(problems.entrySet())
                .column("target", each -> each.getKey().name())
                .column("type", each -> each.getKey().type().label())
                .column("result", each -> each.getValue().isEmpty() ? "sent" : "failed")
                .column("detail", Map.Entry::getValue));
    return problems.values().stream().allMatch(String::isEmpty) ? Exit.DONE : Exit.FAILED;
  }

  @Command(name = "sweep", mixinStandardHelpOptions = true)
  static Exit sweep(@Mixin ConfigurationOptions options, @Mixin TableOptions table) {
    var apps = new AppConfigurations(options.load());
    Path runner = apps.folder(Role.RUNNER.label());
    Path triage = apps.folder(Role.TRIAGE.label());
    Path calls = apps.triage().data().resolve("calls");
    boolean sessions = Files.exists(runner.resolve("journal.db"));
    boolean called = Files.exists(calls.resolve("journal.db"));
    if (!sessions && !called) {
      throw new StartFailure(
          "no runner has worked in "
              + runner.getParent()
              + ", so its sessions are unknown; name its data folder with --data");
    }
    // Both before either is swept: what is refused must have changed nothing.
    try (DataLock _ = sessions ? lock(runner) : null;
        DataLock _ = called ? lock(triage) : null) {
      var remains = new ArrayList<Sweep.Remains>();
      if (sessions) {
        remains.addAll(Sweep.byHand(runner));
      }
      if (called) {
        remains.addAll(AgentCall.sweep(calls));
      }
      return swept(table, remains);
    } catch (IOException e) {
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
  }

  private static DataLock lock(Path role) {
    return DataLock.tryTake(role)
        .orElseThrow(() ->
            new StartFailure(
                "a running flyball uses "
                    + role.getParent()
                    + " and sweeps it itself; nothing was done"));
  }

  /** Prints what was found; the exit code is degraded if something is left. */
  static Exit swept(TableOptions table, List<Sweep.Remains> remains) {
    var _ =
        table.print(
            Table.of(remains)
                .column("session", it -> it.row().session())
                .column("item", it -> it.row().item())
                .column("outcome", it -> it.outcome().label())
                .column("found", Sweep.Remains::found)
                .column("left", Sweep.Remains::left));
    int left = remains.stream().mapToInt(Sweep.Remains::left).sum();
    if (left == 0) {
      return Exit.DONE;
    }
    table.terminal.note(
        CountedNoun.of(left, "process", "processes")
            + " could not be stopped: look for state D in ps -ef; they end with the I/O that"
            + " they wait for, or with a restart of the machine");
    return Exit.DEGRADED;
  }

  @Command(name = "version", mixinStandardHelpOptions = true)
  static Exit version(@Mixin JsonOption output) {
    Map<String, String> all = versions();
    if (output.json) {
      return output.object(all);
    }
    all.forEach((what, version) -> output.terminal.out().println(what + " " + version));
    return Exit.DONE;
  }

  static Map<String, String> versions() {
    var built = new Properties();
    try (InputStream file =
        SetupCommands.class.getResourceAsStream("/dev/flyball/program/version.properties")) {
      built.load(Objects.requireNonNull(file, "version.properties"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var all = new LinkedHashMap<String, String>();
    all.put("flyball", built.getProperty("version", "unknown"));
    all.put("java", Runtime.version().toString());
    all.put("kafka", built.getProperty("kafka", "unknown"));
    return all;
  }
}
