package dev.flyball.program.admin;

import static org.apache.kafka.common.acl.AclOperation.DELETE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.DESCRIBE_CONFIGS;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.TopicProvisioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * How an administrator calls Kafka's own tools.
 *
 * @param bootstrapServers the cluster
 * @param commandConfig the file with the administrator's login; null if none is needed
 */
public record AdminTool(String bootstrapServers, @Nullable String commandConfig) {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  /** One line for a shell: the tool, the cluster, the login and these words, quoted. */
  String line(String tool, List<String> words) {
    String login = commandConfig == null ? "" : " --command-config " + quoted(commandConfig);
    return tool
        + " --bootstrap-server "
        + quoted(bootstrapServers)
        + login
        + words.stream().map(word -> " " + quoted(word)).collect(Collectors.joining());
  }

  /**
   * The commands that create all topics exactly as Flyball would, for clusters where only an
   * administrator may, those of Kafka Streams too. A topic that exists stays as it is.
   *
   * @param replication on how many brokers each is kept ({@code topics.replication})
   */
  public List<String> createTopics(Topics topics, int replication) {
    return Stream.concat(topics.specs().stream(), topics.streamsTopics().stream())
        .map(spec -> createTopic(spec, replication))
        .toList();
  }

  private String createTopic(TopicSpec spec, int replication) {
    var words = new ArrayList<>(List.of("--create", "--if-not-exists", "--topic", spec.name()));
    words.addAll(List.of("--partitions", Integer.toString(spec.partitions())));
    words.addAll(List.of("--replication-factor", Integer.toString(replication)));
    TopicProvisioner.settings(spec, replication)
        .forEach((name, value) -> words.addAll(List.of("--config", name + "=" + value)));
    return line("kafka-topics.sh", words);
  }

  /** The commands that give each role the rights that it needs, one for each. */
  public List<String> grantRights(Topics topics) {
    return RoleRight.all(topics).stream().map(this::grant).toList();
  }

  private String grant(RoleRight right) {
    var words =
        new ArrayList<>(List.of("--add", "--allow-principal", RoleRight.PRINCIPAL + right.user()));
    for (AclOperation operation : right.operations()) {
      words.addAll(List.of("--operation", written(operation)));
    }
    words.add("--" + right.type().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    words.add(right.name());
    if (right.pattern() == PatternType.PREFIXED) {
      words.addAll(List.of("--resource-pattern-type", "prefixed"));
    }
    return line("kafka-acls.sh", words);
  }

  /** DescribeConfigs for DESCRIBE_CONFIGS, as the tool expects it. */
  private static String written(AclOperation operation) {
    return Stream.of(operation.name().split("_"))
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /** The text quoted so that a shell takes it as one argument. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  /**
   * One access rule of Kafka that a role needs.
   *
   * @param user the role, or {@code operator} for the commands
   * @param type topic, group or transactional id
   * @param pattern whether {@code name} is the whole name or a beginning
   */
  public record RoleRight(
      String user,
      ResourceType type,
      String name,
      PatternType pattern,
      List<AclOperation> operations) {
    /** The beginning of a principal's name in the printed commands. */
    static final String PRINCIPAL = "User:flyball-";

    public RoleRight {
      operations = List.copyOf(operations);
    }

    /** What every role needs, and not more. */
    public static List<RoleRight> all(Topics topics) {
      String application = topics.applicationId();
      String installation = topics.prefix().substring(0, topics.prefix().length() - 1);
      return List.of(
          verify("producer", topics),
          topic("producer", topics.workItems(), READ, WRITE),
          topic("producer", topics.pollState(), READ, WRITE),
          topic("producer", topics.sessionRequests(), READ),
          topic("producer", topics.analyses(), READ),
          topic("producer", topics.commands(), READ),
          topic("producer", topics.sessionEvents(), WRITE),
          topic("producer", topics.deadLetters(), WRITE),
          group("producer", topics.prefix() + "write-back.", PatternType.PREFIXED, READ),
          transactions("producer", topics.prefix() + "producer/"),
          verify("triage", topics),
          topic("triage", topics.workItems(), READ),
          topic("triage", topics.sessionEvents(), READ, WRITE),
          topic("triage", topics.sessionLedger(), READ, WRITE),
          topic("triage", topics.commands(), READ),
          topic("triage", topics.triageRequests(), READ, WRITE),
          topic("triage", topics.triageVerdicts(), READ, WRITE),
          topic("triage", topics.sessionRequests(), WRITE),
          topic("triage", topics.analyses(), WRITE),
          topic("triage", topics.deadLetters(), WRITE),
          topics("triage", application + "-", READ, WRITE),
          group("triage", application, PatternType.PREFIXED, READ),
          transactions("triage", application + "-"),
          verify("runner", topics),
          topic("runner", topics.sessionLedger(), READ, WRITE, DELETE),
          topic("runner", topics.sessionRequests(), READ),
          topic("runner", topics.sessionEvents(), WRITE),
          topic("runner", topics.sessionOutput(), WRITE),
          topic("runner", topics.deadLetters(), WRITE),
          group("runner", application, PatternType.LITERAL, DESCRIBE),
          verify("console", topics),
          topic("console", topics.sessionEvents(), READ),
          topic("console", topics.itemState(), READ),
          topic("console", topics.sessionRequests(), READ),
          topic("console", topics.sessionLedger(), READ, WRITE),
          topic("console", topics.sessionOutput(), READ),
          topic("console", topics.analyses(), READ),
          topic("console", topics.deadLetters(), READ, WRITE),
          topic("console", topics.metrics(), WRITE),
          topic("console", topics.commands(), WRITE),
          group("console", installation + "-notify-", PatternType.PREFIXED, READ),
          verify("operator", topics),
          topic("operator", topics.sessionLedger(), READ, WRITE),
          topic("operator", topics.commands(), WRITE),
          topic("operator", topics.sessionEvents(), READ),
          topic("operator", topics.sessionOutput(), READ),
          topic("operator", topics.deadLetters(), READ),
          topic("operator", topics.itemState(), READ));
    }

    private static RoleRight topic(String user, String name, AclOperation... operations) {
      return new RoleRight(
          user, ResourceType.TOPIC, name, PatternType.LITERAL, List.of(operations));
    }

    private static RoleRight topics(String user, String beginning, AclOperation... operations) {
      return new RoleRight(
          user, ResourceType.TOPIC, beginning, PatternType.PREFIXED, List.of(operations));
    }

    /** Each start verifies all topics. */
    private static RoleRight verify(String user, Topics topics) {
      return topics(user, topics.prefix(), DESCRIBE, DESCRIBE_CONFIGS);
    }

    private static RoleRight group(
        String user, String name, PatternType pattern, AclOperation operation) {
      return new RoleRight(user, ResourceType.GROUP, name, pattern, List.of(operation));
    }

    private static RoleRight transactions(String user, String beginning) {
      return new RoleRight(
          user, ResourceType.TRANSACTIONAL_ID, beginning, PatternType.PREFIXED, List.of(WRITE));
    }
  }
}
