package dev.flyball.program.cli;

import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.roles.Reachable;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that change the ledger: which scope, and why. */
final class OperatorOptions {
  private static final Pattern SCOPE =
      Pattern.compile("global|tenant:[a-z0-9-]+|source:[a-z0-9-]+/[a-z0-9-]+|provider:[a-z0-9-]+");

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(
      names = "--scope",
      paramLabel = "SCOPE",
      description = "global (the default), tenant:T, source:T/S or provider:P")
  String scope = Scope.GLOBAL;

  @Option(names = "--why", paramLabel = "TEXT", description = "The reason, kept in the ledger")
  String why = "no reason given";

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  /** The ledger of the reachable Kafka. */
  OperatorDesk desk(Terminal terminal) {
    if (!SCOPE.matcher(scope).matches()) {
      throw new ConfigurationError(
          List.of(
              "--scope " + scope + ": allowed are global, tenant:T, source:T/S and provider:P"));
    }
    Configuration configuration = server.over(shared.load(terminal));
    KafkaClients clients =
        Reachable.clients(configuration, "operator")
            .orElseThrow(() ->
                new StartFailure(
                    "no Kafka answers: start ./flyball up, or give --bootstrap-servers"));
    return new OperatorDesk(clients);
  }

  /** The name of the user who makes the change. */
  static String who() {
    return System.getProperty("user.name", "operator");
  }

  /** The exit code of an answer; prints the reason if nothing was changed. */
  static Exit exit(OperatorDesk.Answer answer, Terminal terminal, String otherwise) {
    return switch (answer) {
      case OperatorDesk.Answer.Effective effective -> Exit.DONE;
      case OperatorDesk.Answer.WithoutEffect without -> {
        terminal.say("flyball: nothing was changed: " + otherwise);
        yield Exit.FAILED;
      }
    };
  }
}
