package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.operate.CommandDesk;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.ops.console.operate.Ordered;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.DurationText;
import dev.flyball.program.roles.Reachable;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options of the commands that change items: which Kafka, the reason, and how long to wait for the
 * effect.
 */
final class ItemOptions {
  /** A shorter text is an item's id rather than a session's. */
  private static final int SHORTEST_SESSION = 8;

  @Mixin SharedOptions shared = new SharedOptions();
  @Mixin ServerOptions server = new ServerOptions();

  @Option(names = "--why", paramLabel = "TEXT", description = "The reason, kept with the item")
  String why = "";

  @Option(
      names = "--wait",
      paramLabel = "DURATION",
      defaultValue = "10s",
      description = "How long to wait for the effect; by default 10s")
  String wait = "10s";

  @Option(names = "--json", description = "One JSON array on one line")
  boolean json;

  /** Makes a command from its id, who asks, when and why. */
  interface Making {
    Command of(String id, String who, Instant at, String why);
  }

  Command make(Making making) {
    String who = OperatorOptions.who();
    return making.of(
        UUID.randomUUID().toString(),
        who.substring(0, Math.min(who.length(), Command.MOST_WHO)),
        Instant.now().truncatedTo(ChronoUnit.MILLIS),
        why);
  }

  /** The configuration, after the options themselves are checked. */
  Configuration configuration(Terminal terminal) {
    var _ = patience();
    if (why.length() > Command.MOST_WHY) {
      throw refused("--why has more than " + Command.MOST_WHY + " characters");
    }
    return server.over(shared.load(terminal));
  }

  static KafkaClients clients(Configuration configuration) {
    return Reachable.clients(configuration, "operator")
        .orElseThrow(() ->
            new StartFailure("no Kafka answers: start ./flyball up, or give --bootstrap-servers"));
  }

  /** Sends one command for one item and prints the answer; returns the exit code. */
  int order(Terminal terminal, String typed, Making making) {
    Configuration configuration = configuration(terminal);
    ItemKey item = item(configuration, typed);
    return order(terminal, clients(configuration), item, making);
  }

  int order(Terminal terminal, KafkaClients clients, ItemKey item, Making making) {
    Ordered answer =
        new CommandDesk(clients).order(Map.of(item, make(making)), patience()).getFirst();
    return told(terminal, answer);
  }

  /** Prints the effect, or one line with the reason why there is none; returns the exit code. */
  int told(Terminal terminal, Ordered answer) {
    Exit exit = exit(terminal, answer);
    if (answer.done()) {
      print(terminal, List.of(answer));
    }
    return exit.code();
  }

  Duration patience() {
    try {
      return DurationText.parse(wait);
    } catch (IllegalArgumentException e) {
      throw refused("--wait " + wait + ": write 500ms, 10s or 2m");
    }
  }

  /** Prints one row for each effect. */
  void print(Terminal terminal, List<Ordered> answers) {
    var table =
        new Table("item", "command", "before", "after", "session", "outcome", "survivors", "why");
    for (Ordered each : answers) {
      if (each.done()) {
        table.row(
            each.item().toString(),
            each.field(Field.COMMAND),
            each.field(Field.BEFORE),
            each.field(Field.AFTER),
            each.field(Field.SESSION),
            each.endField(Field.OUTCOME),
            each.endField(Field.SURVIVORS),
            each.field(Field.REASON));
      }
    }
    table.print(terminal, json);
  }

  /** The exit code of an answer; prints what is missing if the effect was not seen. */
  Exit exit(Terminal terminal, Ordered answer) {
    if (answer.unknown()) {
      throw refused(Answers.noItem(answer.item().toString()));
    }
    if (answer.refused()) {
      terminal.say("flyball: " + answer.item() + ": " + answer.field(Field.REASON));
      return Exit.FAILED;
    }
    if (answer.seen()) {
      return Exit.DONE;
    }
    terminal.say(
        answer.answer() == null
            ? "flyball: sent, no effect seen yet; look with `./flyball item " + answer.item() + "`"
            : "flyball: "
                + answer.item()
                + " is "
                + answer.field(Field.AFTER)
                + ", and its session has not ended yet; look with `./flyball ps`");
    return Exit.FAILED;
  }

  /** The item: a whole key unchanged, or a bare id looked up in the console's projection. */
  ItemKey item(Configuration configuration, String typed) {
    String key = typed;
    if (!typed.contains("/")) {
      Optional<ConsoleView> found =
          ConsoleView.open(new AppConfigurations(configuration).console().data());
      if (found.isPresent()) {
        try (ConsoleView view = found.get()) {
          key = Answers.key(view, typed);
        }
      }
    }
    try {
      return ItemKey.parse(key);
    } catch (IllegalArgumentException e) {
      throw refused(
          typed.contains("/")
              ? "'" + typed + "': " + e.getMessage()
              : Answers.noItem(typed) + ", or give its whole key tenant/source/id");
    }
  }

  /** The live session whose id begins with this text, by the ledger; empty if there is none. */
  static Optional<Lease> session(KafkaClients clients, String typed) {
    if (typed.contains("/") || typed.length() < SHORTEST_SESSION) {
      return Optional.empty();
    }
    List<Lease> live =
        new OperatorDesk(clients)
            .state().leases().stream().filter(it -> it.session().startsWith(typed)).toList();
    if (live.size() > 1) {
      throw refused("several live sessions begin with '" + typed + "'; give more of the id");
    }
    return live.stream().findFirst();
  }

  static ConfigurationError refused(String line) {
    return new ConfigurationError(List.of(line));
  }
}
