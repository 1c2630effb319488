package dev.flyball.program.admin;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.TopicProvisioner;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The commands that create all topics exactly as Flyball would, for clusters where only an
 * administrator may. They include the topics that Kafka Streams would create.
 */
public final class TopicCommands {
  private TopicCommands() {}

  /**
   * One line for each topic; a topic that exists stays as it is.
   *
   * @param replication on how many brokers each is kept ({@code topics.replication})
   */
  public static List<String> lines(AdminTool tool, Topics topics, int replication) {
    return Stream.concat(topics.specs().stream(), topics.streamsTopics().stream())
        .map(spec -> line(tool, spec, replication))
        .toList();
  }

  private static String line(AdminTool tool, TopicSpec spec, int replication) {
    var words =
        new ArrayList<>(
            List.of(
                "--create",
                "--if-not-exists",
                "--topic",
                spec.name(),
                "--partitions",
                Integer.toString(spec.partitions()),
                "--replication-factor",
                Integer.toString(replication)));
    TopicProvisioner.settings(spec, replication)
        .forEach((name, value) -> {
          words.add("--config");
          words.add(name + "=" + value);
        });
    return tool.line("kafka-topics.sh", words);
  }
}
