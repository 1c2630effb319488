package dev.flyball.kafka;

import dev.flyball.contract.topic.TopicSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
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
   * @throws WriteDenied if this login may not read the settings of a topic
   * @throws LoginDenied if Kafka does not accept the configured login
   * @throws WrongTopic if an existing topic differs, or one is missing and this login may not
   *     create it
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
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        throw WriteDenied.settings(clients.bootstrapServers());
      }
      throw KafkaFailure.of(
          clients.bootstrapServers(), "topics", KafkaClients.DEFAULT_REACH_LIMIT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BrokerUnreachable(clients.bootstrapServers(), KafkaClients.DEFAULT_REACH_LIMIT, e);
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
      throw WrongTopic.notCreated(denied.stream().sorted().toList());
    }
  }

  /**
   * The settings with which a topic is created.
   *
   * @param replication on how many brokers it is kept
   */
  public static Map<String, String> settings(TopicSpec spec, int replication) {
    var settings = new TreeMap<>(spec.settings());
    settings.putAll(Durability.atCreation(spec, replication));
    return settings;
  }

  private void verify(Admin admin, List<TopicSpec> specs)
      throws InterruptedException, ExecutionException {
    Map<String, TopicDescription> descriptions = describe(admin, specs);
    Map<ConfigResource, Config> configs =
        admin.describeConfigs(specs.stream().map(TopicProvisioner::resource).toList()).all().get();
    var raised = new HashMap<ConfigResource, Collection<AlterConfigOp>>();
    for (TopicSpec spec : specs) {
      TopicDescription description = descriptions.get(spec.name());
      Config config = configs.get(resource(spec));
      if (description == null || config == null) {
        throw WrongTopic.lacking(spec.name(), "missing after it was made");
      }
      Map<String, String> safer =
          verify(spec, clients.settings().replication(), description, config);
      if (!safer.isEmpty()) {
        raised.put(resource(spec), safer.entrySet().stream().map(TopicProvisioner::set).toList());
      }
    }
    if (!raised.isEmpty()) {
      admin.incrementalAlterConfigs(raised).all().get();
    }
  }

  private static AlterConfigOp set(Map.Entry<String, String> setting) {
    return new AlterConfigOp(
        new ConfigEntry(setting.getKey(), setting.getValue()), AlterConfigOp.OpType.SET);
  }

  /**
   * Returns the settings to raise, which an earlier version set less safe than needed; any other
   * difference is an error.
   */
  private static Map<String, String> verify(
      TopicSpec spec, int replication, TopicDescription description, Config config) {
    int partitions = description.partitions().size();
    if (partitions != spec.partitions()) {
      throw WrongTopic.partitions(spec.name(), partitions, spec.partitions());
    }
    int replicas =
        description.partitions().stream().mapToInt(it -> it.replicas().size()).min().orElse(0);
    if (replicas < replication) {
      throw WrongTopic.replicas(spec.name(), replicas, replication);
    }
    var wanted = new HashMap<>(spec.settings());
    wanted.putAll(Durability.required(spec, replicas));
    var safer = new HashMap<String, String>();
    wanted.forEach((name, value) -> {
      ConfigEntry entry = config.get(name);
      String found = entry == null ? "not set" : String.valueOf(entry.value());
      if (Durability.satisfies(name, found, value)) {
        return;
      }
      if (!Durability.mayRaise(name)) {
        throw WrongTopic.setting(spec.name(), name, found, value);
      }
      safer.put(name, value);
    });
    return safer;
  }

  /**
   * Describes the topics. A topic that was just created may not be known to every thread of the
   * broker yet.
   */
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
}
