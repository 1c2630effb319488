package dev.flyball.program.cli;

import dev.flyball.contract.event.Field;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.operate.CommandResult;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.OperatorActions.By;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.admin.RoleRight;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfiguredSource;
import dev.flyball.program.doctor.Doctor;
import dev.flyball.program.doctor.Finding;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about the program and its machine rather than about items. */
final class SetupCommands {
  private SetupCommands() {}

  @Command(
      name = "doctor",
      mixinStandardHelpOptions = true,
      description = {
        "Check machine, JDK, containment, folders, repository, agent, sources, Kafka and topics."
            + " Each problem comes with its fix.",
        "",
        "Exit code 3 if something is degraded, 4 if something does not work.",
        ""
      })
  static Exit doctor(@Mixin KafkaOptions options, @Mixin TableOptions table) {
    List<Finding> findings = Doctor.examine(options.load(), options.terminal().environment());
    var rows = new Table("check", "state", "found", "fix");
    findings.forEach(it -> rows.row(it.check(), it.state().label(), it.found(), it.fix()));
    var _ = table.print(rows);
    return findings.stream()
        .map(Finding::state)
        .max(Finding.State::compareTo)
        .map(SetupCommands::exit)
        .orElse(Exit.DONE);
  }

  private static Exit exit(Finding.State worst) {
    return switch (worst) {
      case ABSENT, OK -> Exit.DONE;
      case DEGRADED -> Exit.DEGRADED;
      case UNHEALTHY -> Exit.UNHEALTHY;
    };
  }

  @Command(
      name = "config",
      mixinStandardHelpOptions = true,
      description = "List every configuration key with its value and where the value is set.")
  static Exit config(@Mixin ConfigurationOptions options, @Mixin TableOptions table) {
    var apps = new AppConfigurations(options.load());
    apps.check();
    var rows = new Table("key", "value", "source");
    apps.rows().forEach(row -> rows.row(row.key(), row.value(), row.source()));
    return table.print(rows);
  }

  @Command(
      name = "topics",
      mixinStandardHelpOptions = true,
      description =
          "List the topics with their required settings and, if Kafka answers, how many offsets"
              + " are in use. Transaction markers use offsets too.")
  static Exit topics(
      @Mixin KafkaOptions options,
      @Mixin TableOptions table,
      @Option(
              names = "--print-commands",
              description =
                  "Print the commands with which an administrator of Kafka creates all topics"
                      + " (kafka-topics.sh)")
          boolean commands,
      @Option(
              names = "--print-acls",
              description =
                  "Print the commands with which an administrator of Kafka gives each role the"
                      + " rights that it needs (kafka-acls.sh)")
          boolean acls,
      @Option(
              names = "--command-config",
              paramLabel = "FILE",
              description = "File with the administrator's login, for the printed commands")
          @Nullable String login) {
    Configuration configuration = options.load();
    if (commands || acls) {
      return printed(options, configuration, login, commands, acls);
    }
    Optional<KafkaClients> clients = KafkaFinder.clients(configuration, "topics");
    Map<String, Long> sizes = clients.map(SetupCommands::sizes).orElse(Map.of());
    var rows = new Table("topic", "partitions", "cleanup", "schema", "offsets");
    var topics = new AppConfigurations(configuration).topics();
    for (TopicSpec spec : topics.specs()) {
      rows.row(
          spec.name(),
          spec.partitions(),
          spec.settings().getOrDefault("cleanup.policy", "delete"),
          spec.schema(),
          sizes.get(spec.name()));
    }
    rows.row(topics.itemState(), 6, "compact", "item-state/1", sizes.get(topics.itemState()));
    var _ = table.print(rows);
    if (clients.isEmpty()) {
      options
          .terminal()
          .note(
              "Kafka does not answer, so the column `offsets` is empty; start ./flyball up, or name"
                  + " a running Kafka with --bootstrap-servers");
    }
    return Exit.DONE;
  }

  /**
   * How many records each topic holds at most, by its offsets; compacted and transactional ones
   * hold fewer.
   */
  private static Map<String, Long> sizes(KafkaClients clients) {
    var _ = clients.reach(Duration.ofSeconds(5));
    try (Consumer<String, byte[]> consumer = clients.consumer("sizes", Map.of())) {
      Map<String, List<PartitionInfo>> all = consumer.listTopics();
      var partitions = new ArrayList<TopicPartition>();
      all.forEach((topic, parts) ->
          parts.forEach(it -> partitions.add(new TopicPartition(topic, it.partition()))));
      Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
      var sizes = new HashMap<String, Long>();
      consumer
          .endOffsets(partitions)
          .forEach((partition, end) ->
              sizes.merge(partition.topic(), end - first.getOrDefault(partition, 0L), Long::sum));
      return sizes;
    }
  }

  private static Exit printed(
      KafkaOptions options,
      Configuration configuration,
      @Nullable String login,
      boolean commands,
      boolean acls) {
    var apps = new AppConfigurations(configuration);
    KafkaSettings kafka = apps.kafka("operator");
    var tool = new AdminTool(kafka.properties().getOrDefault("bootstrap.servers", ""), login);
    PrintStream out = options.terminal().out();
    if (commands) {
      tool.createTopics(kafka.topics(), kafka.replication()).forEach(out::println);
    }
    if (acls) {
      RoleRight.lines(tool, kafka.topics()).forEach(out::println);
    }
    return Exit.DONE;
  }

  @Command(
      name = "poll",
      mixinStandardHelpOptions = true,
      description =
          "Let the running service poll a source now. The interval counts from this poll. A pause"
              + " that the tracker asks for, an open circuit breaker, rate limits and a full"
              + " backlog still hold. Where no service runs: ./flyball producer --once.")
  static Exit poll(
      @Mixin KafkaOptions options,
      @Mixin TableOptions table,
      @Parameters(
              paramLabel = "SOURCE",
              description = "The source: TENANT/NAME, or NAME if it is unique")
          String source,
      @Option(
              names = "--wait",
              paramLabel = "DURATION",
              defaultValue = "60s",
              description = "Maximum time to wait for the end of the poll (default: 60s)")
          String wait) {
    Duration patience = LimitCommands.span("--wait", wait);
    Configuration configuration = options.load();
    String key = configured(source, new AppConfigurations(configuration).sources());
    var command =
        new By(ScopeOptions.who(), "").command(dev.flyball.contract.command.Command.Poll::new);
    CommandResult answer =
        new CommandSender(options.clients(configuration, "operator"))
            .order(Map.of(command, key), patience)
            .getFirst();
    if (answer.done()) {
      var rows = new Table("source", "result", "items", "changed", "duplicates", "invalid", "poll");
      rows.row(
          key,
          answer.field(Field.AFTER),
          answer.field(Field.POLLED),
          answer.field(Field.CHANGED),
          answer.field(Field.DUPLICATES),
          answer.field(Field.INVALID),
          answer.field(Field.POLL));
      return table.print(rows);
    }
    throw new StartFailure(
        key
            + ": "
            + (answer.refused()
                ? answer.field(Field.REASON)
                : answer.acknowledged()
                    ? "no producer answered within "
                        + wait
                        + "; list polls with ./flyball polls, or poll without a service with"
                        + " ./flyball producer --once"
                    : "the command is perhaps not written: " + answer.problem()));
  }

  /** The key of a configured source. */
  private static String configured(String source, List<ConfiguredSource> all) {
    List<String> keys = all.stream().map(each -> each.source().key()).toList();
    String key = whole(source, keys);
    if (!keys.contains(key)) {
      throw new ConfigurationError(
          "no source '"
              + source
              + "' is configured; "
              + (keys.isEmpty()
                  ? "name the service's configuration with --config"
                  : "configured are " + String.join(", ", keys)));
    }
    return key;
  }

  @Command(
      name = "polls",
      mixinStandardHelpOptions = true,
      description = "List polls, newest first. The newest hundred of each source are kept.")
  static Exit polls(
      @Mixin ConfigurationOptions options,
      @Mixin ConsoleOptions console,
      @Mixin TableOptions table,
      @Parameters(
              arity = "0..1",
              paramLabel = "SOURCE",
              description = "Only polls of this source: TENANT/NAME, or NAME if it is unique")
          @Nullable String source,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "20",
              description = "Maximum number of rows (default: 20)")
          int limit) {
    ItemViews.requireRows(limit);
    try (ConsoleReader reader = console.reader(options)) {
      reader.age().report(options.terminal());
      String whole =
          source == null
              ? null
              : whole(source, reader.sources().stream().map(SourceStatus::source).toList());
      List<PollRow> polls =
          whole != null && !whole.contains("/") ? List.of() : reader.polls(whole, limit);
      if (polls.isEmpty() && source != null) {
        throw new StartFailure(
            "no poll of '" + source + "' is known; list all sources with ./flyball polls");
      }
      var rows =
          new Table(
              "started",
              "took",
              "source",
              "outcome",
              "items",
              "changed",
              "duplicates",
              "invalid",
              "reason",
              "poll");
      polls.forEach(poll ->
          rows.row(
              poll.startedAt(),
              poll.tookMs() == null ? null : poll.tookMs() + "ms",
              poll.source(),
              poll.result(),
              poll.polled(),
              poll.changed(),
              poll.duplicates(),
              poll.invalid(),
              poll.reason(),
              poll.poll()));
      return table.print(rows);
    }
  }

  /** TENANT/NAME of a source; a bare name if only one source has it. */
  static String whole(String source, List<String> all) {
    if (source.contains("/")) {
      return source;
    }
    List<String> named = all.stream().filter(each -> each.endsWith("/" + source)).toList();
    if (named.size() > 1) {
      throw new ConfigurationError(
          "several sources have the name " + source + ": " + String.join(", ", named));
    }
    return named.isEmpty() ? source : named.getFirst();
  }

  @Command(
      name = "version",
      mixinStandardHelpOptions = true,
      description = "Print the versions of flyball, Java and Kafka.")
  static Exit version(@Mixin JsonOption output) throws IOException {
    Map<String, String> all = versions();
    if (output.json) {
      return output.object(all);
    }
    all.forEach((what, version) -> output.terminal().out().println(what + " " + version));
    return Exit.DONE;
  }

  static Map<String, String> versions() throws IOException {
    var built = new Properties();
    try (InputStream file =
        SetupCommands.class.getResourceAsStream("/dev/flyball/program/version.properties")) {
      if (file != null) {
        built.load(file);
      }
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("flyball", built.getProperty("version", "unknown"));
    all.put("java", Runtime.version().toString());
    all.put("kafka", built.getProperty("kafka", "unknown"));
    return all;
  }
}
