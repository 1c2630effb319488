package dev.flyball.program.cli;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.KafkaFinder;
import dev.flyball.program.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that use Kafka. */
sealed class KafkaOptions extends ConfigurationOptions permits ItemOptions, ScopeOptions {
  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Address of Kafka (default: kafka.bootstrap.servers)")
  @Nullable String servers;

  KafkaOptions(Terminal terminal) {
    super(terminal);
  }

  @Override
  final Configuration load() {
    Configuration loaded = super.load();
    return servers == null ? loaded : loaded.withBootstrapServers(servers, "--bootstrap-servers");
  }

  /** Clients of the Kafka that answers; reports it if it may be another folder's. */
  KafkaClients clients(Configuration configuration, String purpose) {
    KafkaFinder.guessed(configuration)
        .ifPresent(servers ->
            terminal()
                .note(
                    "using Kafka at "
                        + servers
                        + ": no service runs in "
                        + configuration.path(Keys.DATA)
                        + "; name the data folder of that Kafka's service with --data"));
    return KafkaFinder.clients(configuration, purpose)
        .orElseThrow(() ->
            new StartFailure(
                "Kafka does not answer; start ./flyball up, or name a running Kafka with"
                    + " --bootstrap-servers"));
  }
}
