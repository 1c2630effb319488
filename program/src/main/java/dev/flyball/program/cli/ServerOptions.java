package dev.flyball.program.cli;

import dev.flyball.program.config.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the Kafka a command uses. */
final class ServerOptions {
  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka's address; by default kafka.bootstrap.servers of the configuration")
  @Nullable String servers;

  /** The configuration with these servers for every role, if they are given. */
  Configuration over(Configuration loaded) {
    return servers == null ? loaded : loaded.withBootstrapServers(servers, "--bootstrap-servers");
  }
}
