package dev.flyball.program.doctor;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Checks whether readers of committed records reach the end of every topic. Before an open
 * transaction they wait silently: no item is triaged, and no error appears.
 */
final class TransactionCheck {
  static final String CHECK = "transactions";

  /**
   * The longest that our own transactions normally stay open: a poll with some ten thousand items.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration STEP = Duration.ofMillis(200);

  private static final int LIMIT_MILLIS = 5_000;

  private TransactionCheck() {}

  /** Checks, and checks again for some seconds while a transaction is open. */
  static Finding run(KafkaClients clients) {
    try (Admin admin = clients.admin("doctor")) {
      List<TopicPartition> partitions = partitions(admin, clients.topics().specs());
      Map<TopicPartition, Long> open = open(admin, partitions);
      long began = System.nanoTime();
      while (!open.isEmpty() && System.nanoTime() - began < PATIENCE.toNanos()) {
        Thread.sleep(STEP);
        open = stillOpen(open, open(admin, List.copyOf(open.keySet())));
      }
      return finding(open);
    } catch (ExecutionException e) {
      return Finding.degraded(
          CHECK,
          "cannot be looked at: " + OneLine.of(e.getMessage()),
          "check the broker's log and access rules");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Finding.degraded(CHECK, "interrupted", "run doctor again");
    }
  }

  /** The transactions that were open before and have not moved since. */
  static Map<TopicPartition, Long> stillOpen(
      Map<TopicPartition, Long> before, Map<TopicPartition, Long> now) {
    var same = new HashMap<>(before);
    same.entrySet().retainAll(now.entrySet());
    return same;
  }

  static Finding finding(Map<TopicPartition, Long> open) {
    Optional<Map.Entry<TopicPartition, Long>> first =
        open.entrySet().stream().min(Comparator.comparing(entry -> entry.getKey().toString()));
    return first
        .map(entry ->
            Finding.degraded(
                CHECK,
                "open for more than "
                    + PATIENCE.toSeconds()
                    + " s in "
                    + entry.getKey()
                    + " since offset "
                    + entry.getValue()
                    + (open.size() > 1 ? " and in " + (open.size() - 1) + " more" : "")
                    + ": what was committed behind it is not read yet",
                "wait: the broker ends it within 60 s; if not, see \"A transaction that stays"
                    + " open\" in docs/troubleshooting.md"))
        .orElseGet(() -> Finding.ok(CHECK, "none stays open"));
  }

  /** Where the oldest open transaction of each partition begins. */
  private static Map<TopicPartition, Long> open(Admin admin, List<TopicPartition> partitions)
      throws ExecutionException, InterruptedException {
    // In this order: a record written between the two requests must not look open.
    Map<TopicPartition, Long> ends = ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
    var open = new TreeMap<TopicPartition, Long>(Comparator.comparing(TopicPartition::toString));
    ends(admin, partitions, IsolationLevel.READ_COMMITTED)
        .forEach((partition, stable) -> {
          if (stable < ends.getOrDefault(partition, 0L)) {
            open.put(partition, stable);
          }
        });
    return open;
  }

  private static Map<TopicPartition, Long> ends(
      Admin admin, List<TopicPartition> partitions, IsolationLevel isolation)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> latest =
        partitions.stream()
            .collect(Collectors.toMap(Function.identity(), it -> OffsetSpec.latest()));
    var ends = new HashMap<TopicPartition, Long>();
    admin
        .listOffsets(latest, new ListOffsetsOptions(isolation).timeoutMs(LIMIT_MILLIS))
        .all()
        .get()
        .forEach((partition, found) -> ends.put(partition, found.offset()));
    return ends;
  }

  private static List<TopicPartition> partitions(Admin admin, List<TopicSpec> specs)
      throws ExecutionException, InterruptedException {
    var there = admin.listTopics().names().get();
    List<String> ours = specs.stream().map(TopicSpec::name).filter(there::contains).toList();
    return admin.describeTopics(ours).allTopicNames().get().values().stream()
        .flatMap(TransactionCheck::partitions)
        .toList();
  }

  private static Stream<TopicPartition> partitions(TopicDescription topic) {
    return topic.partitions().stream()
        .map(partition -> new TopicPartition(topic.name(), partition.partition()));
  }
}
