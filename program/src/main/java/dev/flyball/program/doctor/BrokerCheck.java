package dev.flyball.program.doctor;

import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.TopicProvisioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.config.ConfigResource;

/** Checks whether Kafka answers and its topics have the required settings. Creates no topic. */
final class BrokerCheck {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final String OFFSETS_KEPT = "offsets.retention.minutes";

  /** Kafka's own default, and how long the questions of triage are kept. */
  private static final Duration LEAST_KEPT = Duration.ofDays(7);

  private BrokerCheck() {}

  static List<Finding> all(KafkaClients clients) {
    var findings = new ArrayList<Finding>();
    try {
      int brokers = clients.reach(LIMIT);
      findings.add(Finding.ok("kafka", clients.bootstrapServers() + ", " + brokers + " brokers"));
      findings.addAll(topics(clients));
    } catch (KafkaFailure e) {
      findings.add(
          Finding.unhealthy(
              "kafka", String.valueOf(e.getMessage()), "start it, or correct --bootstrap-servers"));
    }
    return findings;
  }

  private static List<Finding> topics(KafkaClients clients) {
    Set<String> there;
    try (Admin admin = clients.admin("doctor")) {
      there = admin.listTopics().names().get();
    } catch (ExecutionException e) {
      return List.of(
          Finding.unhealthy(
              "topics",
              "cannot be listed: " + e.getMessage(),
              "check the broker's log and access rules"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
    var findings = new ArrayList<Finding>();
    int right = 0;
    var missing = new ArrayList<String>();
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
    String found =
        right
            + " as they must be"
            + (missing.isEmpty() ? "" : ", made at the next start: " + String.join(", ", missing));
    findings.addFirst(Finding.ok("topics", found));
    return findings;
  }

  /** How long Kafka knows what a group has read that has no member; nothing if it is not shown. */
  static List<Finding> offsets(KafkaClients clients) {
    try (Admin admin = clients.admin("doctor")) {
      int node = admin.describeCluster().nodes().get().iterator().next().id();
      var broker = new ConfigResource(ConfigResource.Type.BROKER, Integer.toString(node));
      return admin.describeConfigs(List.of(broker)).all().get().values().stream()
          .map(each -> each.get(OFFSETS_KEPT))
          .filter(Objects::nonNull)
          .map(each -> offsets(Duration.ofMinutes(Long.parseLong(each.value()))))
          .toList();
    } catch (ExecutionException e) {
      return List.of(
          Finding.absent(
              "offsets",
              OFFSETS_KEPT + " cannot be read: " + OneLine.of(e.getCause()),
              "allow DescribeConfigs on the cluster, or check it yourself"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
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
}
