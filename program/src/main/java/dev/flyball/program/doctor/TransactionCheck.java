package dev.flyball.program.doctor;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
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

  private static final Duration LIMIT = Duration.ofSeconds(5);

  private TransactionCheck() {}

  /** Checks, and checks again for some seconds while a transaction is open. */
  static Finding run(KafkaClients clients) {
    Set<String> ours =
        clients.topics().specs().stream().map(TopicSpec::name).collect(Collectors.toSet());
    try (Consumer<String, byte[]> committed = clients.consumer("doctor");
        Consumer<String, byte[]> all =
            clients.consumer("doctor", Map.of("isolation.level", "read_uncommitted"))) {
      List<TopicPartition> partitions =
          all.listTopics(LIMIT).values().stream()
              .flatMap(List::stream)
              .filter(each -> ours.contains(each.topic()))
              .map(each -> new TopicPartition(each.topic(), each.partition()))
              .toList();
      Map<TopicPartition, Long> open = open(all, committed, partitions);
      long began = System.nanoTime();
      while (!open.isEmpty() && System.nanoTime() - began < PATIENCE.toNanos()) {
        Thread.sleep(STEP);
        open = stillOpen(open, open(all, committed, open.keySet()));
      }
      return finding(open);
    } catch (KafkaException e) {
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
  private static Map<TopicPartition, Long> open(
      Consumer<?, ?> all, Consumer<?, ?> committed, Collection<TopicPartition> partitions) {
    // In this order: a record written between the two requests must not look open.
    Map<TopicPartition, Long> ends = all.endOffsets(partitions, LIMIT);
    var open = new TreeMap<TopicPartition, Long>(Comparator.comparing(TopicPartition::toString));
    committed
        .endOffsets(partitions, LIMIT)
        .forEach((partition, stable) -> {
          if (stable < ends.getOrDefault(partition, 0L)) {
            open.put(partition, stable);
          }
        });
    return open;
  }
}
