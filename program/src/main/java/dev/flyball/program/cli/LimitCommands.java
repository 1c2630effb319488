package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.text.OneLine;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.OperatorEntries;
import dev.flyball.ops.console.operate.Outcome;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.console.view.Summary.DaySpend.Budget;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.cli.Options.ConsoleOptions;
import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.cli.Options.TableOptions;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show or change what limits sessions: cap, pause and budget. */
final class LimitCommands {
  private static final Configuration NOTHING = new Configuration(Map.of());

  /** Money is in millionths of a dollar. */
  private static final int MICRO_DIGITS = 6;

  private LimitCommands() {}

  /** Which scope, and why. */
  static final class ScopeOptions extends KafkaOptions {
    @Mixin final TableOptions table;

    @Option(names = "--scope", paramLabel = "SCOPE")
    @Nullable String scope;

    @Option(names = "--why", paramLabel = "TEXT")
    String why = "no reason given";

    ScopeOptions(Terminal terminal) {
      super(terminal);
      table = new TableOptions(terminal);
    }

    /**
     * The scope that is meant.
     *
     * @throws ConfigurationError if the option names none
     */
    String scope() {
      String named = scope == null ? Scope.GLOBAL : scope;
      return valid(
          "--",
          () -> {
            ScopeChange.requireScope(named);
            return named;
          });
    }

    /** Prints what a console knows. */
    Exit show(ConsoleOptions console, Function<ConsoleReader, Table> shown) {
      try (ConsoleReader reader = console.reader(this)) {
        reader.age().report(terminal);
        return table.print(shown.apply(reader));
      }
    }

    /** Rejects a change where a console is named, which is not changed by a command. */
    void requireHere(ConsoleOptions console, String command) {
      console
          .url(this)
          .map(url -> OneLine.of(url, 200))
          .ifPresent(url -> {
            throw new StartFailure(
                command
                    + (" changes only the Kafka of this machine's data folder, and " + url)
                    + (" is a console; use its page or POST /actions/" + command)
                    + ", or name the folder with --data");
          });
    }

    /** Appends one entry and prints the ledger after it; reports it if the entry had no effect. */
    Exit change(ScopeChange change, String effect, Function<LedgerState, Table> shown) {
      OperatorEntries.Changed changed =
          new OperatorEntries(clients(load(), "operator"))
              .change(change, new By(Options.who(), why));
      boolean done = changed.outcome().effect() == Outcome.Effect.DONE;
      if (done && !effect.isEmpty()) {
        terminal.note(change.scope() + effect);
      }
      table.print(shown.apply(changed.state()));
      if (done) {
        return Exit.DONE;
      }
      terminal.note("nothing was changed: " + changed.outcome().why());
      return Exit.FAILED;
    }
  }

  @Command(name = "cap", mixinStandardHelpOptions = true)
  static Exit cap(
      @Mixin ScopeOptions options,
      @Mixin ConsoleOptions console,
      @Parameters(paramLabel = "N", arity = "0..1") @Nullable String limit,
      @Option(names = "--remove") boolean remove) {
    if (limit != null && remove) {
      throw new ConfigurationError("--remove and N exclude each other; give one of them");
    }
    String scope = options.scope();
    if (limit == null && !remove) {
      return options.show(
          console, reader -> caps(options.scope, reader.list("caps", Map.of(), ScopeCap[].class)));
    }
    options.requireHere(console, "cap");
    if (limit == null) {
      ScopeChange change = valid("--remove: ", () -> ScopeChange.uncapped(scope));
      return options.change(change, "", after -> caps(null, ScopeCap.all(after)));
    }
    // The same check as of the key, before any request is sent.
    int cap = NOTHING.with(Keys.CAP, limit, "cap").get(Keys.CAP);
    return options.change(
        ScopeChange.cap(scope, cap), "", after -> caps(scope, ScopeCap.all(after)));
  }

  private static Table caps(@Nullable String scope, List<ScopeCap> all) {
    var rows = new Table("scope", "cap", "live");
    List<ScopeCap> shown =
        all.stream().filter(it -> scope == null || it.scope().equals(scope)).toList();
    shown.forEach(it -> rows.row(it.scope(), it.cap(), it.live()));
    return shown.isEmpty() ? rows.row(scope == null ? Scope.GLOBAL : scope, null, null) : rows;
  }

  @Command(name = "pause", mixinStandardHelpOptions = true)
  static Exit pause(
      @Mixin ScopeOptions options,
      @Option(names = "--for", paramLabel = "DURATION") @Nullable Duration duration) {
    Instant until = duration == null ? null : Instant.now().plus(duration);
    String undo = "./flyball resume" + (options.scope == null ? "" : " --scope " + options.scope);
    return options.change(
        ScopeChange.pause(options.scope(), until),
        " is paused: what runs goes on, nothing new starts; " + undo + " undoes it; pauses now:",
        LimitCommands::pauses);
  }

  @Command(name = "resume", mixinStandardHelpOptions = true)
  static Exit resume(@Mixin ScopeOptions options) {
    return options.change(
        ScopeChange.resume(options.scope()),
        " is resumed: its sessions start again; pauses that remain:",
        LimitCommands::pauses);
  }

  private static Table pauses(LedgerState state) {
    return Table.of(state.pauses(Instant.now()))
        .column("scope", LedgerEntry.Pause::scope)
        .column("until", LedgerEntry.Pause::until)
        .column("who", LedgerEntry.Pause::who)
        .column("why", LedgerEntry.Pause::why);
  }

  @Command(name = "budget", mixinStandardHelpOptions = true)
  static Exit budget(
      @Mixin ScopeOptions options,
      @Mixin ConsoleOptions console,
      @Option(names = "--daily-usd", paramLabel = "USD") @Nullable String usd,
      @Option(names = "--daily-tokens", paramLabel = "N") @Nullable String tokens,
      @Option(names = "--none") boolean none) {
    boolean given = usd != null || tokens != null;
    if (given && none) {
      throw new ConfigurationError("--none and a limit exclude each other; give one of them");
    }
    String scope = options.scope();
    if (!given && !none) {
      // Empty if the reader may not see it.
      return options.show(
          console,
          reader ->
              budget(
                  scope, reader.find("budget", Map.of("scope", scope), Budget.class).orElse(null)));
    }
    options.requireHere(console, "budget");
    // A wrong value is rejected before any request is sent.
    ScopeChange change =
        valid("--", () -> ScopeChange.budget(scope, none ? "none" : usd, none ? "none" : tokens));
    return options.change(
        change, "", after -> budget(scope, Budget.of(scope, after, Instant.now())));
  }

  /** A scope's budget, and what is spent of it today; only its name if it is not known. */
  private static Table budget(String scope, @Nullable Budget known) {
    var rows = new Table("scope", "dailyUsd", "spentUsd", "dailyTokens", "spentTokens");
    return known == null
        ? rows.row(scope, null, null, null, null)
        : rows.row(
            scope,
            Objects.requireNonNullElse(dollars(known.limitMicros()), "none"),
            dollars(known.spentMicros()),
            Objects.requireNonNullElse(known.limitTokens(), "none"),
            known.spentTokens());
  }

  /** Millionths of a dollar as dollars and cents. */
  private static @Nullable BigDecimal dollars(@Nullable Long micros) {
    return micros == null
        ? null
        : BigDecimal.valueOf(micros, MICRO_DIGITS).setScale(2, RoundingMode.HALF_UP);
  }

  /** A value of an option; its error begins with the option's name. */
  private static <T> T valid(String option, Supplier<T> value) {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError(option + e.getMessage());
    }
  }
}
