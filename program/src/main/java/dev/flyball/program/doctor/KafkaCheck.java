package dev.flyball.program.doctor;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.TopicProvisioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/**
 * Checks whether Kafka answers, whether its topics have the required settings, and whether readers
 * get on. Creates no topic.
 *
 * @param topics those that exist; empty if something is wrong with Kafka or a topic
 */
record KafkaCheck(List<Finding> findings, Set<String> topics) {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String OFFSETS_KEPT = "offsets.retention.minutes";

  /** Kafka's own default, and how long the questions of triage are kept. */
  private static final Duration LEAST_KEPT = Duration.ofDays(7);

  /** The longest transaction of ours that is normal: a poll with some ten thousand items. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Duration STEP = Duration.ofMillis(200);

  /** A question to a broker. */
  private interface Asked {
    List<Finding> answer() throws ExecutionException, InterruptedException;
  }

  static KafkaCheck of(KafkaClients clients) {
    var findings = new ArrayList<Finding>();
    try {
      int brokers = clients.reach(LIMIT);
      findings.add(Finding.ok("kafka", clients.bootstrapServers() + ", " + brokers + " brokers"));
    } catch (KafkaFailure e) {
      findings.add(
          Finding.unhealthy(
              "kafka", String.valueOf(e.getMessage()), "start it, or correct --bootstrap-servers"));
      return new KafkaCheck(findings, Set.of());
    }
    try (Admin admin = clients.admin("doctor")) {
      Set<String> there = new HashSet<>();
      findings.addAll(
          asked(
              () -> {
                there.addAll(admin.listTopics().names().get());
                return topics(clients, there);
              },
              Finding.unhealthy(
                  "topics", "cannot be listed", "check the broker's log and access rules")));
      if (findings.stream().anyMatch(finding -> finding.state() != Finding.State.OK)) {
        return new KafkaCheck(findings, Set.of());
      }
      findings.addAll(
          asked(
              () -> offsets(admin),
              Finding.absent(
                  "offsets",
                  OFFSETS_KEPT + " cannot be read",
                  "allow DescribeConfigs on the cluster, or check it yourself")));
      findings.addAll(
          asked(
              () -> List.of(transactions(admin, clients, there)),
              Finding.degraded(
                  "transactions",
                  "cannot be looked at",
                  "check the broker's log and access rules")));
      return new KafkaCheck(findings, there);
    }
  }

  /** The answer, or what is said instead, with the cause. */
  private static List<Finding> asked(Asked question, Finding otherwise) {
    String why;
    try {
      return question.answer();
    } catch (ExecutionException e) {
      why = OneLine.of(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "interrupted";
    }
    return List.of(
        new Finding(
            otherwise.check(), otherwise.state(), otherwise.found() + ": " + why, otherwise.fix()));
  }

  private static List<Finding> topics(KafkaClients clients, Set<String> there) {
    var findings = new ArrayList<Finding>();
    var missing = new ArrayList<String>();
    int right = 0;
    for (TopicSpec spec : clients.topics().specs()) {
      if (!there.contains(spec.name())) {
        missing.add(spec.name());
        continue;
      }
      try {
        new TopicProvisioner(clients).provision(List.of(spec));
        right++;
      } catch (KafkaFailure e) {
        findings.add(
            Finding.unhealthy(
                "topic " + spec.name(), String.valueOf(e.getMessage()), "see docs/topics.md"));
      }
    }
    String made = missing.isEmpty() ? "" : ", made at the next start: ";
    findings.addFirst(
        Finding.ok("topics", right + " as they must be" + made + String.join(", ", missing)));
    return findings;
  }

  /** How long Kafka knows what a group has read that has no member; nothing if it is not shown. */
  private static List<Finding> offsets(Admin admin)
      throws ExecutionException, InterruptedException {
    int node = admin.describeCluster().nodes().get().iterator().next().id();
    var broker = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(node));
    return admin.describeConfigs(List.of(broker)).all().get().values().stream()
        .map(each -> each.get(OFFSETS_KEPT))
        .filter(Objects::nonNull)
        .map(each -> offsets(Duration.ofMinutes(Long.parseLong(each.value()))))
        .toList();
  }

  static Finding offsets(Duration kept) {
    String found = OFFSETS_KEPT + " is " + kept.toMinutes() + " (" + kept.toHours() + " h)";
    return kept.compareTo(LEAST_KEPT) >= 0
        ? Finding.ok("offsets", found)
        : Finding.degraded(
            "offsets",
            found + ": after a longer stop records are read again",
            "raise it above your longest stop, to 10080 (7 days) at least");
  }

  /**
   * Whether readers of committed records reach the end of every topic. Before an open transaction
   * they wait silently: no item is triaged, and no error appears. Looks again for some seconds
   * while one is open.
   */
  private static Finding transactions(Admin admin, KafkaClients clients, Set<String> there)
      throws ExecutionException, InterruptedException {
    Set<TopicPartition> partitions =
        clients.topics().specs().stream()
            .filter(spec -> there.contains(spec.name()))
            .flatMap(spec ->
                IntStream.range(0, spec.partitions())
                    .mapToObj(number -> new TopicPartition(spec.name(), number)))
            .collect(Collectors.toSet());
    Map<TopicPartition, Long> open = open(admin, partitions);
    long began = System.nanoTime();
    while (!open.isEmpty() && System.nanoTime() - began < PATIENCE.toNanos()) {
      Thread.sleep(STEP);
      open = stillOpen(open, open(admin, open.keySet()));
    }
    return transactions(open);
  }

  /** The transactions that were open before and have not moved since. */
  static Map<TopicPartition, Long> stillOpen(
      Map<TopicPartition, Long> before, Map<TopicPartition, Long> now) {
    var same = new HashMap<>(before);
    same.entrySet().retainAll(now.entrySet());
    return same;
  }

  static Finding transactions(Map<TopicPartition, Long> open) {
    return open.entrySet().stream()
        .min(Comparator.comparing(entry -> entry.getKey().toString()))
        .map(entry ->
            Finding.degraded(
                "transactions",
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
        .orElseGet(() -> Finding.ok("transactions", "none stays open"));
  }

  /** Where the oldest open transaction of each partition begins. */
  private static Map<TopicPartition, Long> open(Admin admin, Set<TopicPartition> partitions)
      throws ExecutionException, InterruptedException {
    // In this order: a record written between the two requests must not look open.
    Map<TopicPartition, Long> ends = ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
    var open = new HashMap<>(ends(admin, partitions, IsolationLevel.READ_COMMITTED));
    open.entrySet().removeIf(each -> each.getValue() >= ends.getOrDefault(each.getKey(), 0L));
    return open;
  }

  private static Map<TopicPartition, Long> ends(
      Admin admin, Set<TopicPartition> partitions, IsolationLevel level)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> latest =
        partitions.stream().collect(Collectors.toMap(each -> each, _ -> OffsetSpec.latest()));
    return admin.listOffsets(latest, new ListOffsetsOptions(level)).all().get().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().offset()));
  }
}
