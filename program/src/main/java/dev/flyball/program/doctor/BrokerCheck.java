package dev.flyball.program.doctor;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import dev.flyball.kafka.TopicProvisioner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;

/** Checks whether Kafka answers and its topics have the required settings. Creates no topic. */
final class BrokerCheck {
  private static final Duration LIMIT = Duration.ofSeconds(5);

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
}
