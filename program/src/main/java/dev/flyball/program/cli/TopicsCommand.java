package dev.flyball.program.cli;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.roles.Reachable;
import dev.flyball.program.roles.TopicSizes;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the topics, and how many records they hold if Kafka answers. */
@Command(
    name = "topics",
    mixinStandardHelpOptions = true,
    description =
        "Prints every topic with what it must be; with the offsets in use if Kafka answers, which"
            + " marks of transactions take too.")
final class TopicsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  TopicsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Configuration configuration = server.over(shared.load(terminal));
    Optional<KafkaClients> clients = Reachable.clients(configuration, "topics");
    Map<String, Long> sizes = clients.map(TopicSizes::of).orElse(Map.of());
    var table = new Table("topic", "partitions", "cleanup", "schema", "offsets");
    var topics = new AppConfigurations(configuration).topics();
    for (TopicSpec spec : topics.specs()) {
      table.row(
          spec.name(),
          spec.partitions(),
          spec.settings().getOrDefault("cleanup.policy", "delete"),
          spec.schema(),
          sizes.containsKey(spec.name()) ? sizes.get(spec.name()) : "");
    }
    table.row(
        topics.itemState(),
        6,
        "compact",
        "item-state/1",
        sizes.containsKey(topics.itemState()) ? sizes.get(topics.itemState()) : "");
    table.print(terminal, json);
    if (clients.isEmpty()) {
      terminal.say(
          "flyball: no Kafka answers, so nobody knows the offsets; start ./flyball up or give"
              + " --bootstrap-servers");
    }
    return Exit.DONE.code();
  }
}
