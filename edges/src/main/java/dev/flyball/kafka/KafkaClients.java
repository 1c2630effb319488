package dev.flyball.kafka;

import dev.flyball.contract.topic.Topics;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates the clients of one role, all with Flyball's defaults: keys are strings, values bytes. The
 * configuration overrides the defaults. What a caller requires by name overrides both, because its
 * code depends on it.
 *
 * @param settings the role's settings
 * @param role the beginning of the client ids
 * @param factory creates the clients
 */
public record KafkaClients(KafkaSettings settings, String role, ClientFactory factory) {
  /** How long a start waits for a broker. */
  public static final Duration DEFAULT_REACH_LIMIT = Duration.ofSeconds(10);

  private static final Map<String, Object> COMMON =
      Map.of(
          // Two clients of one id in a JVM would only log warnings that their JMX names collide;
          // Micrometer reads them directly.
          "metric.reporters", "",
          "enable.metrics.push", "false",
          "reconnect.backoff.max.ms", "1000",
          // 30 s by default. A frozen broker still accepts connections, so only this ends a wait
          // for it. Another one leads its partitions after 9 s.
          "request.timeout.ms", "10000",
          // When a network drops packets and comes back, that is only noticed when the kernel
          // retries, and the kernel waits twice as long each time. A new attempt after 2 s to 4 s
          // notices it sooner.
          "socket.connection.setup.timeout.ms", "2000",
          "socket.connection.setup.timeout.max.ms", "4000");

  private static final Map<String, Object> PRODUCER =
      Map.of(
          "acks", "all",
          "enable.idempotence", "true",
          // Kafka 4 waits 5 ms for more records by default. Flyball's records are few, and a caller
          // waits for each.
          "linger.ms", "0");

  private static final Map<String, Object> CONSUMER =
      Map.of(
          "isolation.level", "read_committed",
          "enable.auto.commit", "false",
          "auto.offset.reset", "earliest",
          "allow.auto.create.topics", "false",
          // 30 s by default. A fetch whose answer was lost would outlast a lease, although the
          // network was back long before.
          "request.timeout.ms", "5000",
          "default.api.timeout.ms", "10000");

  /** Creates an instance that makes Kafka's own clients. */
  public KafkaClients(KafkaSettings settings, String role) {
    this(settings, role, ClientFactory.KAFKA);
  }

  /** The topics' names. */
  public Topics topics() {
    return settings.topics();
  }

  /** A producer; {@code required} overrides the configuration. */
  public KafkaProducer<String, byte[]> producer(String purpose, Map<String, ?> required) {
    return factory.producer(properties(purpose, PRODUCER, required));
  }

  /** A producer that waits for all replicas. */
  public KafkaProducer<String, byte[]> producer(String purpose) {
    return producer(purpose, Map.of());
  }

  /** A producer that waits for all replicas; each send succeeds or fails within this time. */
  public KafkaProducer<String, byte[]> producer(String purpose, Duration limit) {
    return producer(purpose, limit, Map.of());
  }

  /** The same; {@code required} overrides the configuration too. */
  KafkaProducer<String, byte[]> producer(
      String purpose, Duration limit, Map<String, String> required) {
    var all = new HashMap<>(required);
    all.put("linger.ms", "0");
    all.put("delivery.timeout.ms", Long.toString(limit.toMillis()));
    all.put("request.timeout.ms", Long.toString(Math.max(1, limit.toMillis() / 2)));
    // Metadata is kept, so only a full buffer waits.
    all.put("max.block.ms", Long.toString(limit.toMillis()));
    return producer(purpose, all);
  }

  /** A consumer that reads only committed records and commits nothing by itself. */
  public KafkaConsumer<String, byte[]> consumer(String purpose, Map<String, ?> required) {
    return factory.consumer(properties(purpose, CONSUMER, required));
  }

  /** A consumer without a group, for assigned partitions. */
  public KafkaConsumer<String, byte[]> consumer(String purpose) {
    return consumer(purpose, Map.of());
  }

  /**
   * A consumer that follows assigned partitions as long as its process lives. A record ends a fetch
   * immediately. Without any, the broker answers after 2 s, not half a second as by default, which
   * costs an idle broker four times the work. It is closed by {@link #closeFollower}.
   */
  public KafkaConsumer<String, byte[]> follower(String purpose, Map<String, ?> required) {
    var all = new HashMap<String, Object>(required);
    all.put("fetch.max.wait.ms", "2000");
    return consumer(purpose, all);
  }

  /** Closes without the wait for a fetch that waits at the broker; nothing is lost by that. */
  public static void closeFollower(Consumer<?, ?> consumer) {
    consumer.close(CloseOptions.timeout(Duration.ofMillis(500)));
  }

  /** An admin client. */
  public Admin admin(String purpose) {
    // A start asks for 10 s whether a broker is there: not all of it one that is frozen.
    return factory.admin(properties(purpose, Map.of("request.timeout.ms", "5000"), Map.of()));
  }

  /**
   * Properties for Kafka Streams, which creates its clients itself.
   *
   * @param defaults the configuration overrides them
   * @param required they override the configuration
   */
  public Map<String, Object> streamsProperties(Map<String, ?> defaults, Map<String, ?> required) {
    var ours = new HashMap<String, Object>(COMMON);
    ours.putAll(defaults);
    var all = new HashMap<>(settings.with(ours));
    all.putAll(required);
    return all;
  }

  /**
   * Waits until a broker answers.
   *
   * @return how many brokers the cluster has
   * @throws BrokerUnreachable if none answers within the limit
   * @throws KafkaFailure if one answers and does not accept the configured login, or a client
   *     cannot be created with the configured properties
   */
  public int reach(Duration limit) {
    int millis = Math.toIntExact(limit.toMillis());
    try (Admin admin = created("reach")) {
      return admin
          .describeCluster(new DescribeClusterOptions().timeoutMs(millis))
          .nodes()
          .get(limit.toMillis() + 1_000, TimeUnit.MILLISECONDS)
          .size();
    } catch (ExecutionException | TimeoutException | InterruptedException | KafkaException e) {
      throw KafkaFailure.of(bootstrapServers(), "the cluster", limit, e);
    }
  }

  /** An admin client; an address that has no name yet may get one while a start waits. */
  private Admin created(String purpose) {
    try {
      return admin(purpose);
    } catch (KafkaException e) {
      if (KafkaFailure.line(e).contains("bootstrap")) {
        throw e;
      }
      throw KafkaFailure.wrongProperties(e);
    }
  }

  /**
   * The id of an existing topic; a topic created again under the same name has another id.
   *
   * @throws BrokerUnreachable if no broker answers
   */
  public String topicId(String topic) {
    try (Admin admin = admin("topic-id")) {
      return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
          .findFirst()
          .orElseThrow(() -> KafkaFailure.lacking(topic, "missing"))
          .topicId()
          .toString();
    } catch (ExecutionException | InterruptedException e) {
      throw KafkaFailure.of(bootstrapServers(), topic, DEFAULT_REACH_LIMIT, e);
    }
  }

  /**
   * Checks whether this login may write to a topic; a missing topic passes the check.
   *
   * @throws KafkaFailure if it may not, Kafka does not accept the configured login, or no broker
   *     answers
   */
  public void requireWrite(String topic) {
    try (Admin admin = admin("rights")) {
      Set<AclOperation> rights =
          admin
              .describeTopics(
                  List.of(topic),
                  new DescribeTopicsOptions()
                      .includeAuthorizedOperations(true)
                      .timeoutMs(Math.toIntExact(DEFAULT_REACH_LIMIT.toMillis())))
              .allTopicNames()
              .get()
              .values()
              .iterator()
              .next()
              .authorizedOperations();
      // If a broker does not report the rights, the write itself will show them.
      if (rights != null && !rights.contains(AclOperation.WRITE)) {
        throw KafkaFailure.writeDenied(bootstrapServers(), topic);
      }
    } catch (ExecutionException | InterruptedException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw KafkaFailure.of(bootstrapServers(), topic, DEFAULT_REACH_LIMIT, e);
      }
    }
  }

  /** The address as it was configured. */
  public String bootstrapServers() {
    return String.valueOf(settings.properties().get("bootstrap.servers"));
  }

  private Map<String, Object> properties(
      String purpose, Map<String, Object> defaults, Map<String, ?> required) {
    var ours = new HashMap<>(COMMON);
    ours.putAll(defaults);
    ours.put("client.id", role + "-" + purpose);
    var all = new HashMap<>(settings.with(ours));
    all.putAll(required);
    return all;
  }
}
