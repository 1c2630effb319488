package dev.flyball.program.admin;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.TopicProvisioner;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.jspecify.annotations.Nullable;

/**
 * How an administrator calls Kafka's own tools.
 *
 * @param bootstrapServers the cluster
 * @param commandConfig the file with the administrator's login; null if none is needed
 */
public record AdminTool(String bootstrapServers, @Nullable String commandConfig) {
  /**
   * What every role needs for the prefix {@code flyball.}; a star ends the beginning of names. Each
   * start verifies all topics.
   */
  private static final String NEEDED =
      """
      producer | DESCRIBE DESCRIBE_CONFIGS | TOPIC | flyball.*
      producer | READ WRITE | TOPIC | flyball.work-items flyball.poll-state
      producer | READ | TOPIC | flyball.session-requests flyball.analyses flyball.commands
      producer | WRITE | TOPIC | flyball.session-events flyball.dead-letters
      producer | READ | GROUP | flyball.write-back.*
      producer | WRITE | TRANSACTIONAL_ID | flyball.producer/*
      triage | DESCRIBE DESCRIBE_CONFIGS | TOPIC | flyball.*
      triage | READ | TOPIC | flyball.work-items flyball.commands
      triage | READ WRITE | TOPIC | flyball.session-events flyball.session-ledger
      triage | READ WRITE | TOPIC | flyball.triage-requests flyball.triage-verdicts
      triage | WRITE | TOPIC | flyball.session-requests flyball.analyses flyball.dead-letters
      triage | READ WRITE | TOPIC | flyball-triage-*
      triage | READ | GROUP | flyball-triage*
      triage | WRITE | TRANSACTIONAL_ID | flyball-triage-*
      runner | DESCRIBE DESCRIBE_CONFIGS | TOPIC | flyball.*
      runner | READ WRITE DELETE | TOPIC | flyball.session-ledger
      runner | READ | TOPIC | flyball.session-requests
      runner | WRITE | TOPIC | flyball.session-events flyball.session-output flyball.dead-letters
      runner | DESCRIBE | GROUP | flyball-triage
      console | DESCRIBE DESCRIBE_CONFIGS | TOPIC | flyball.*
      console | READ | TOPIC | flyball.session-events flyball-triage-item-state-changelog
      console | READ | TOPIC | flyball.session-requests flyball.session-output flyball.analyses
      console | READ WRITE | TOPIC | flyball.session-ledger flyball.dead-letters
      console | WRITE | TOPIC | flyball.metrics flyball.commands
      console | READ | GROUP | flyball-notify-* flyball-trace
      operator | DESCRIBE DESCRIBE_CONFIGS | TOPIC | flyball.*
      operator | READ WRITE | TOPIC | flyball.session-ledger
      operator | WRITE | TOPIC | flyball.commands
      operator | READ | TOPIC | flyball.session-events flyball.session-output flyball.dead-letters
      operator | READ | TOPIC | flyball-triage-item-state-changelog
      """;

  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  /** One line for a shell: the tool, the cluster, the login and these words, quoted. */
  String line(String tool, List<String> words) {
    String login = commandConfig == null ? "" : " --command-config " + quoted(commandConfig);
    String called = tool + " --bootstrap-server " + quoted(bootstrapServers) + login;
    return called + words.stream().map(word -> " " + quoted(word)).collect(Collectors.joining());
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
    return rights(topics)
        .collect(
            Collectors.groupingBy(
                right -> List.of(right.entry().principal(), right.pattern()),
                LinkedHashMap::new,
                Collectors.toList()))
        .values()
        .stream()
        .map(this::grant)
        .toList();
  }

  /** Gives one user what it needs on one resource. */
  private String grant(List<AclBinding> rights) {
    AclBinding first = rights.getFirst();
    var words = new ArrayList<>(List.of("--add", "--allow-principal", first.entry().principal()));
    for (AclBinding right : rights) {
      words.addAll(List.of("--operation", written(right.entry().operation())));
    }
    ResourcePattern resource = first.pattern();
    words.add("--" + resource.resourceType().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    words.add(resource.name());
    if (resource.patternType() == PatternType.PREFIXED) {
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

  /** What every role needs, and not more; the user of the commands is the operator. */
  static Stream<AclBinding> rights(Topics topics) {
    String installation = topics.prefix().substring(0, topics.prefix().length() - 1);
    return NEEDED
        .lines()
        .map(line -> line.split(" \\| "))
        .flatMap(cells ->
            Stream.of(cells[3].split(" "))
                .map(name ->
                    new ResourcePattern(
                        ResourceType.valueOf(cells[2]),
                        name.replaceFirst("flyball", installation).replace("*", ""),
                        name.endsWith("*") ? PatternType.PREFIXED : PatternType.LITERAL))
                .flatMap(resource ->
                    Stream.of(cells[1].split(" "))
                        .map(operation ->
                            new AclBinding(
                                resource,
                                new AccessControlEntry(
                                    "User:flyball-" + cells[0],
                                    "*",
                                    AclOperation.valueOf(operation),
                                    AclPermissionType.ALLOW)))));
  }

  /** The text quoted so that a shell takes it as one argument. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
