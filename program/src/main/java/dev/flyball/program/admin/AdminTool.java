package dev.flyball.program.admin;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.TopicProvisioner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How an administrator calls Kafka's own tools.
 *
 * @param bootstrapServers the cluster
 * @param commandConfig the file with the administrator's login; null if none is needed
 */
public record AdminTool(String bootstrapServers, @Nullable String commandConfig) {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

  /** One line for a shell: the tool, the cluster, the login and these words, quoted. */
  String line(String tool, List<String> words) {
    String login = commandConfig == null ? "" : " --command-config " + quoted(commandConfig);
    return tool
        + " --bootstrap-server "
        + quoted(bootstrapServers)
        + login
        + words.stream().map(word -> " " + quoted(word)).collect(Collectors.joining());
  }

  /**
   * The commands that create all topics exactly as Flyball would, for clusters where only an
   * administrator may, those of Kafka Streams too. A topic that exists stays as it is.
   *
   * @param replication on how many brokers each is kept ({@code topics.replication})
   */
  public List<String> createTopics(Topics topics, int replication) {
    return Stream.concat(topics.specs().stream(), topics.streamsTopics().stream())
        .map(spec -> createTopic(spec, replication))
        .toList();
  }

  private String createTopic(TopicSpec spec, int replication) {
    var words = new ArrayList<>(List.of("--create", "--if-not-exists", "--topic", spec.name()));
    words.addAll(List.of("--partitions", Integer.toString(spec.partitions())));
    words.addAll(List.of("--replication-factor", Integer.toString(replication)));
    TopicProvisioner.settings(spec, replication)
        .forEach((name, value) -> words.addAll(List.of("--config", name + "=" + value)));
    return line("kafka-topics.sh", words);
  }

  /** The text quoted so that a shell takes it as one argument. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
