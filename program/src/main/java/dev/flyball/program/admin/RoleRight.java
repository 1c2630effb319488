package dev.flyball.program.admin;

import dev.flyball.contract.topic.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;

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
    return Stream.of(
            producer(new Rights("producer", topics), topics),
            triage(new Rights("triage", topics), topics),
            runner(new Rights("runner", topics), topics),
            console(new Rights("console", topics), topics),
            operator(new Rights("operator", topics), topics))
        .flatMap(rights -> rights.all.stream())
        .toList();
  }

  private static Rights producer(Rights all, Topics topics) {
    return all.topic(topics.workItems(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.pollState(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.sessionRequests(), AclOperation.READ)
        .topic(topics.analyses(), AclOperation.READ)
        .topic(topics.commands(), AclOperation.READ)
        .topic(topics.sessionEvents(), AclOperation.WRITE)
        .topic(topics.deadLetters(), AclOperation.WRITE)
        .group(topics.prefix() + "write-back.", PatternType.PREFIXED, AclOperation.READ)
        .transactions(topics.prefix() + "producer/");
  }

  private static Rights triage(Rights all, Topics topics) {
    String application = topics.applicationId();
    return all.topic(topics.workItems(), AclOperation.READ)
        .topic(topics.sessionEvents(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.sessionLedger(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.commands(), AclOperation.READ)
        .topic(topics.triageRequests(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.triageVerdicts(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.sessionRequests(), AclOperation.WRITE)
        .topic(topics.analyses(), AclOperation.WRITE)
        .topic(topics.deadLetters(), AclOperation.WRITE)
        .topics(application + "-", AclOperation.READ, AclOperation.WRITE)
        .group(application, PatternType.PREFIXED, AclOperation.READ)
        .transactions(application + "-");
  }

  private static Rights runner(Rights all, Topics topics) {
    return all.topic(
            topics.sessionLedger(), AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE)
        .topic(topics.sessionRequests(), AclOperation.READ)
        .topic(topics.sessionEvents(), AclOperation.WRITE)
        .topic(topics.sessionOutput(), AclOperation.WRITE)
        .topic(topics.deadLetters(), AclOperation.WRITE)
        .group(topics.applicationId(), PatternType.LITERAL, AclOperation.DESCRIBE);
  }

  private static Rights console(Rights all, Topics topics) {
    return all.topic(topics.sessionEvents(), AclOperation.READ)
        .topic(topics.itemState(), AclOperation.READ)
        .topic(topics.sessionRequests(), AclOperation.READ)
        .topic(topics.sessionLedger(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.sessionOutput(), AclOperation.READ)
        .topic(topics.analyses(), AclOperation.READ)
        .topic(topics.deadLetters(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.metrics(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.commands(), AclOperation.WRITE)
        .group(
            topics.prefix().substring(0, topics.prefix().length() - 1) + "-notify",
            PatternType.LITERAL,
            AclOperation.READ);
  }

  private static Rights operator(Rights all, Topics topics) {
    return all.topic(topics.sessionLedger(), AclOperation.READ, AclOperation.WRITE)
        .topic(topics.commands(), AclOperation.WRITE)
        .topic(topics.sessionEvents(), AclOperation.READ)
        .topic(topics.sessionOutput(), AclOperation.READ)
        .topic(topics.deadLetters(), AclOperation.READ)
        .topic(topics.itemState(), AclOperation.READ);
  }

  /** One command for each rule. */
  public static List<String> lines(AdminTool tool, Topics topics) {
    return all(topics).stream().map(right -> right.line(tool)).toList();
  }

  private String line(AdminTool tool) {
    var words = new ArrayList<>(List.of("--add", "--allow-principal", PRINCIPAL + user));
    for (AclOperation operation : operations) {
      words.add("--operation");
      words.add(written(operation));
    }
    words.add("--" + type.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    words.add(name);
    if (pattern == PatternType.PREFIXED) {
      words.add("--resource-pattern-type");
      words.add("prefixed");
    }
    return tool.line("kafka-acls.sh", words);
  }

  /** DescribeConfigs for DESCRIBE_CONFIGS, as the tool expects it. */
  static String written(AclOperation operation) {
    return Stream.of(operation.name().split("_"))
        .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
        .collect(Collectors.joining());
  }

  /** Collects the rules of one user; each start verifies all topics. */
  private static final class Rights {
    private final List<RoleRight> all = new ArrayList<>();
    private final String user;

    Rights(String user, Topics topics) {
      this.user = user;
      topics(topics.prefix(), AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS);
    }

    Rights topic(String name, AclOperation... operations) {
      return add(ResourceType.TOPIC, name, PatternType.LITERAL, operations);
    }

    Rights topics(String beginning, AclOperation... operations) {
      return add(ResourceType.TOPIC, beginning, PatternType.PREFIXED, operations);
    }

    Rights group(String name, PatternType pattern, AclOperation... operations) {
      return add(ResourceType.GROUP, name, pattern, operations);
    }

    Rights transactions(String beginning) {
      return add(
          ResourceType.TRANSACTIONAL_ID, beginning, PatternType.PREFIXED, AclOperation.WRITE);
    }

    private Rights add(
        ResourceType type, String name, PatternType pattern, AclOperation... operations) {
      all.add(new RoleRight(user, type, name, pattern, List.of(operations)));
      return this;
    }
  }
}
