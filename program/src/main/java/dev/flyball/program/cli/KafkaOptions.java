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

  /** Clients of the Kafka that is configured, or that of the data folder's service. */
  KafkaClients clients(Configuration configuration, String purpose) {
    return KafkaFinder.clients(configuration, purpose)
        .orElseThrow(() ->
            new StartFailure(
                "no service runs in "
                    + configuration.get(Keys.DATA)
                    + "; start ./flyball up, or name the data folder of a running service with"
                    + " --data, or a Kafka with --bootstrap-servers"));
  }
}
