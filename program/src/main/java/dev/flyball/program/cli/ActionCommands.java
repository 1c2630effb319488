package dev.flyball.program.cli;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.console.operate.CommandSender;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.DeadLetters;
import dev.flyball.ops.console.operate.ItemAction;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.Outcome;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands that act on items and sources: cancel, retry, skip, forget, dead-letters requeue and
 * redeliver, and poll. What became of it has the words of the console's answer.
 */
final class ActionCommands {
  /** Most items that are named, each with what holds it back. */
  private static final int NAMED = 5;

  /** A shorter text is an item's id rather than a session's. */
  private static final int SHORTEST_SESSION = 8;

  private ActionCommands() {}

  /** Why, and how long to wait for the effect. */
  static final class ItemOptions extends KafkaOptions {
    @Mixin final TableOptions table;

    @Option(names = "--why", paramLabel = "TEXT")
    String why = "";

    @Option(names = "--wait", paramLabel = "DURATION")
    Duration wait = Duration.ofSeconds(10);

    ItemOptions(Terminal terminal) {
      super(terminal);
      table = new TableOptions(terminal);
    }

    /** Who gives the command, and why. */
    By by() {
      return new By(Options.who(), why);
    }

    /** The configuration, after these options themselves are checked. */
    Configuration checked() {
      if (why.length() > Command.MOST_WHY) {
        throw new ConfigurationError(
            "--why has " + why.length() + " characters; give at most " + Command.MOST_WHY);
      }
      return load();
    }

    /** Sends one command for one item and prints what became of it. */
    Exit send(KafkaClients clients, ItemAction action, ItemKey item, @Nullable String session) {
      Command command = by().command(action.making(session));
      Outcome outcome =
          new CommandSender(clients).order(Map.of(command, item.toString()), wait).getFirst();
      if (outcome.unknown()) {
        throw ConsoleReader.noItem(outcome.what());
      }
      if (outcome.done()) {
        print(List.of(outcome));
      }
      return answered(terminal, action.label(), outcome);
    }

    /** Prints one row for each effect. */
    void print(List<Outcome> outcomes) {
      table.print(
          Table.of(outcomes.stream().filter(Outcome::done).toList())
              .column("item", Outcome::what)
              .column("command", it -> it.field(Field.COMMAND))
              .column("before", it -> it.field(Field.BEFORE))
              .column("after", it -> it.field(Field.AFTER))
              .wide("session", it -> it.field(Field.SESSION))
              .wide("outcome", it -> it.endField(Field.OUTCOME))
              .wide("survivors", it -> it.endField(Field.SURVIVORS))
              .wide("why", it -> it.field(Field.REASON)));
    }
  }

  /** Says what was not done. */
  private static Exit answered(Terminal terminal, String action, Outcome outcome) {
    if (outcome.effect() == Outcome.Effect.DONE) {
      return Exit.DONE;
    }
    terminal.note(outcome.line(action));
    return Exit.FAILED;
  }

  @picocli.CommandLine.Command(name = "cancel", mixinStandardHelpOptions = true)
  static Exit cancel(
      @Mixin ItemOptions options, @Parameters(paramLabel = "KEY|SESSION") String name) {
    Configuration configuration = options.checked();
    KafkaClients clients = options.clients(configuration, "operator");
    Optional<Lease> lease = session(clients, name);
    ItemKey item = lease.map(Lease::item).orElseGet(() -> item(configuration, name));
    return options.send(clients, ItemAction.CANCEL, item, lease.map(Lease::session).orElse(null));
  }

  /** The live session whose id begins with this text, by the ledger; empty if there is none. */
  private static Optional<Lease> session(KafkaClients clients, String name) {
    if (name.contains("/") || name.length() < SHORTEST_SESSION) {
      return Optional.empty();
    }
    List<Lease> live =
        new OperatorEntries(clients)
            .state().leases().stream().filter(it -> it.session().startsWith(name)).toList();
    if (live.size() > 1) {
      throw new ConfigurationError(
          "several live sessions begin with '" + name + "'; give more characters of the id");
    }
    return live.stream().findFirst();
  }

  @picocli.CommandLine.Command(name = "retry", mixinStandardHelpOptions = true)
  static Exit retry(@Mixin ItemOptions options, @Parameters(paramLabel = "KEY") String key) {
    return act(options, ItemAction.RETRY, key);
  }

  @picocli.CommandLine.Command(name = "skip", mixinStandardHelpOptions = true)
  static Exit skip(@Mixin ItemOptions options, @Parameters(paramLabel = "KEY") String key) {
    return act(options, ItemAction.SKIP, key);
  }

  @picocli.CommandLine.Command(name = "forget", mixinStandardHelpOptions = true)
  static Exit forget(@Mixin ItemOptions options, @Parameters(paramLabel = "KEY") String key) {
    return act(options, ItemAction.FORGET, key);
  }

  private static Exit act(ItemOptions options, ItemAction action, String name) {
    Configuration configuration = options.checked();
    ItemKey item = item(configuration, name);
    return options.send(options.clients(configuration, "operator"), action, item, null);
  }

  /** The item of a whole key, or that of the data folder with this id. */
  private static ItemKey item(Configuration configuration, String name) {
    String key = name;
    if (!name.contains("/")) {
      try (var reader = new ConsoleReader.Local(configuration)) {
        key = reader.key(name);
      }
      if (!key.contains("/")) {
        throw ConsoleReader.noItem(name);
      }
    }
    try {
      return ItemKey.parse(key);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("'" + name + "': " + e.getMessage());
    }
  }

  @picocli.CommandLine.Command(name = "requeue", mixinStandardHelpOptions = true)
  static Exit requeue(
      @Mixin ItemOptions options,
      @Parameters(arity = "0..*", paramLabel = "KEY") @Nullable List<String> keys) {
    return bringBack(options, DeadLetters.Action.REQUEUE, keys == null ? List.of() : keys);
  }

  @picocli.CommandLine.Command(name = "redeliver", mixinStandardHelpOptions = true)
  static Exit redeliver(
      @Mixin ItemOptions options,
      @Parameters(arity = "0..*", paramLabel = "KEY") @Nullable List<String> keys) {
    return bringBack(options, DeadLetters.Action.REDELIVER, keys == null ? List.of() : keys);
  }

  /** Sends a command for each dead letter to which it applies, and prints the answers. */
  private static Exit bringBack(ItemOptions options, DeadLetters.Action action, List<String> keys) {
    Terminal terminal = options.terminal;
    KafkaClients clients = options.clients(options.checked(), "operator");
    var sender = new CommandSender(clients);
    DeadLetters.Returned returned =
        new DeadLetters(action, clients.topics(), keys)
            .bringBack(
                clients,
                options.by(),
                commands -> sender.order(commands, options.wait),
                sent -> terminal.note(sent + " commands sent, more follow"));
    List<Outcome> results = returned.results();
    if (results.isEmpty() && returned.stay().isEmpty() && !keys.isEmpty()) {
      throw new StartFailure(
          "no dead letter has the key '"
              + String.join("' or '", keys)
              + "'; list: ./flyball dead-letters");
    }
    if (keys.isEmpty() || results.stream().anyMatch(Outcome::done)) {
      options.print(results);
    }
    boolean whole = results.stream().allMatch(each -> each.effect() == Outcome.Effect.DONE);
    if (!whole) {
      terminal.note(Outcome.Answer.of(action.label(), results).notice());
    }
    var left = new ArrayList<String>();
    for (Outcome each : results.size() > 1 ? results : List.<Outcome>of()) {
      if (each.effect() == Outcome.Effect.REFUSED) {
        left.add(each.line(action.label()));
      } else if (!each.acknowledged()) {
        // Each by name: those that were not written can be repeated, the others perhaps not.
        terminal.note(each.line(action.label()));
      }
    }
    returned.stay().forEach((key, why) -> left.add(key + " stays in dead-letters: " + why));
    left.stream().limit(NAMED).forEach(terminal::note);
    if (left.size() > NAMED) {
      terminal.note("and " + (left.size() - NAMED) + " more");
    }
    // Items that are no longer dead are expected where more than one was meant.
    boolean expected =
        action == DeadLetters.Action.REQUEUE && (keys.isEmpty() || results.size() > 1);
    boolean done = expected ? results.stream().allMatch(Outcome::seen) : whole;
    if (!done || (results.isEmpty() && !keys.isEmpty())) {
      return Exit.FAILED;
    }
    return returned.leftOut() > 0 ? Exit.DEGRADED : Exit.DONE;
  }

  @picocli.CommandLine.Command(name = "poll", mixinStandardHelpOptions = true)
  static Exit poll(
      @Mixin KafkaOptions options,
      @Mixin TableOptions table,
      @Parameters(arity = "0..1", paramLabel = "SOURCE") @Nullable String given,
      @Option(names = "--wait", paramLabel = "DURATION", defaultValue = "60s") Duration wait) {
    Configuration configuration = options.load();
    List<String> all =
        new AppConfigurations(configuration)
            .sources().stream().map(each -> each.source().key()).toList();
    String name = given != null ? given : all.size() == 1 ? all.getFirst() : "";
    String source = source(name, all);
    if (!all.contains(source)) {
      throw new ConfigurationError(
          (given == null ? "name a SOURCE; " : "no source '" + given + "' is configured; ")
              + (all.isEmpty()
                  ? "name the service's configuration with --config"
                  : "configured are " + String.join(", ", all)));
    }
    Outcome result =
        new CommandSender(options.clients(configuration, "operator"))
            .order(Map.of(new By(Options.who(), "").command(Command.Poll::new), source), wait)
            .getFirst();
    if (result.done()) {
      table.print(
          Table.of(List.of(result))
              .column("source", Outcome::what)
              .column("result", it -> it.field(Field.AFTER))
              .column("items", it -> it.field(Field.POLLED))
              .column("changed", it -> it.field(Field.CHANGED))
              .column("duplicates", it -> it.field(Field.DUPLICATES))
              .column("invalid", it -> it.field(Field.INVALID))
              .column("poll", it -> it.field(Field.POLL)));
    }
    return answered(options.terminal, "poll", result);
  }

  /** TENANT/NAME of a source; a bare name if only one source has it. */
  static String source(String name, List<String> all) {
    if (name.contains("/")) {
      return name;
    }
    List<String> named = all.stream().filter(each -> each.endsWith("/" + name)).toList();
    if (named.size() > 1) {
      throw new ConfigurationError(
          "several sources have the name " + name + ": " + String.join(", ", named));
    }
    return named.isEmpty() ? name : named.getFirst();
  }
}
