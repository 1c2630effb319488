package dev.flyball.kafka;

import dev.flyball.contract.topic.TopicSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates topics that are missing and verifies those that exist. Several apps may do so at the same
 * time: the second verifies what the first created.
 */
public final class TopicProvisioner {
  /** How long a topic that was just created may be unknown to the next call. */
  private static final Duration SETTLE = Duration.ofSeconds(15);

  // What lets an acknowledged record survive. With one replica every message is flushed. With
  // several, two must have the record and no replica that lacks it may become the leader.
  private static final String FLUSH = "flush.messages";
  private static final String IN_SYNC = "min.insync.replicas";
  private static final Map<String, String> SAFE =
      Map.of(IN_SYNC, "2", "unclean.leader.election.enable", "false");

  private final KafkaClients clients;

  /** Creates a provisioner for the topics of these clients' settings. */
  public TopicProvisioner(KafkaClients clients) {
    this.clients = clients;
  }

  /**
   * Creates and verifies every topic of Flyball.
   *
   * @throws BrokerUnreachable if no broker answers within {@link KafkaClients#DEFAULT_REACH_LIMIT},
   *     or there are fewer than a topic that is missing needs
   * @throws KafkaFailure if this login is not accepted or may not read the settings of a topic, an
   *     existing topic differs, or one is missing and this login may not create it
   */
  public void provision() {
    provision(clients.topics().specs());
  }

  /** Creates and verifies these topics; throws as {@link #provision()} does. */
  public void provision(List<TopicSpec> specs) {
    int brokers = clients.reach(KafkaClients.DEFAULT_REACH_LIMIT);
    try (Admin admin = clients.admin("topics")) {
      Set<String> there = admin.listTopics().names().get();
      create(admin, specs.stream().filter(spec -> !there.contains(spec.name())).toList(), brokers);
      verify(admin, specs);
    } catch (ExecutionException | InterruptedException e) {
      if (e.getCause() instanceof AuthorizationException) {
        throw KafkaFailure.settingsHidden(clients.bootstrapServers());
      }
      throw KafkaFailure.of(
          clients.bootstrapServers(), "topics", KafkaClients.DEFAULT_REACH_LIMIT, e);
    }
  }

  private void create(Admin admin, List<TopicSpec> missing, int brokers)
      throws InterruptedException, ExecutionException {
    if (missing.isEmpty()) {
      return;
    }
    int replication = clients.settings().replication();
    if (brokers < replication) {
      // Topics that were created with fewer replicas would keep them.
      throw new BrokerUnreachable(clients.bootstrapServers(), brokers, replication);
    }
    var topics = new ArrayList<NewTopic>();
    for (TopicSpec spec : missing) {
      topics.add(
          new NewTopic(spec.name(), spec.partitions(), (short) replication)
              .configs(settings(spec, replication)));
    }
    var denied = new ArrayList<String>();
    var results = admin.createTopics(topics, new CreateTopicsOptions()).values();
    for (var result : results.entrySet()) {
      try {
        result.getValue().get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof AuthorizationException) {
          denied.add(result.getKey());
        } else if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
    }
    if (!denied.isEmpty()) {
      throw KafkaFailure.notCreated(denied.stream().sorted().toList());
    }
  }

  /**
   * The settings with which a topic is created.
   *
   * @param replication on how many brokers it is kept
   */
  public static Map<String, String> settings(TopicSpec spec, int replication) {
    var settings = new TreeMap<>(spec.settings());
    settings.putAll(replication == 1 ? required(spec, 1) : SAFE);
    return settings;
  }

  private void verify(Admin admin, List<TopicSpec> specs)
      throws InterruptedException, ExecutionException {
    Map<String, TopicDescription> descriptions = describe(admin, specs);
    Map<ConfigResource, Config> configs =
        admin.describeConfigs(specs.stream().map(TopicProvisioner::resource).toList()).all().get();
    for (TopicSpec spec : specs) {
      TopicDescription description = descriptions.get(spec.name());
      Config config = configs.get(resource(spec));
      if (description == null || config == null) {
        throw KafkaFailure.lacking(spec.name(), "missing after it was made");
      }
      verify(spec, clients.settings().replication(), description, config);
    }
  }

  private static void verify(
      TopicSpec spec, int replication, TopicDescription description, Config config) {
    int partitions = description.partitions().size();
    if (partitions != spec.partitions()) {
      throw KafkaFailure.partitions(spec.name(), partitions, spec.partitions());
    }
    int replicas =
        description.partitions().stream().mapToInt(it -> it.replicas().size()).min().orElse(0);
    if (replicas < replication) {
      throw KafkaFailure.replicas(spec.name(), replicas, replication);
    }
    var wanted = new TreeMap<>(spec.settings());
    wanted.putAll(required(spec, replicas));
    wanted.forEach((name, value) -> {
      ConfigEntry entry = config.get(name);
      String found = entry == null ? "not set" : String.valueOf(entry.value());
      if (!satisfies(name, found, value)) {
        throw KafkaFailure.setting(spec.name(), name, found, value);
      }
    });
  }

  /** Describes the topics; not every thread of the broker knows a topic that was just created. */
  private static Map<String, TopicDescription> describe(Admin admin, List<TopicSpec> specs)
      throws InterruptedException, ExecutionException {
    List<String> names = specs.stream().map(TopicSpec::name).toList();
    long end = System.nanoTime() + SETTLE.toNanos();
    while (true) {
      try {
        return admin.describeTopics(names).allTopicNames().get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() > end) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  private static ConfigResource resource(TopicSpec spec) {
    return new ConfigResource(ConfigResource.Type.TOPIC, spec.name());
  }

  /** The settings that an existing topic must have. */
  static Map<String, String> required(TopicSpec spec, int replication) {
    return !spec.durable() ? Map.of() : replication == 1 ? Map.of(FLUSH, "1") : SAFE;
  }

  /** Whether a found value is at least as safe as the wanted one. */
  static boolean satisfies(String name, String found, String wanted) {
    if (name.equals(IN_SYNC) && found.matches("[0-9]{1,9}")) {
      return Integer.parseInt(found) >= Integer.parseInt(wanted);
    }
    return found.equals(wanted);
  }
}
