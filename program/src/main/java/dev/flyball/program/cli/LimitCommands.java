package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.operate.ScopeChange;
import dev.flyball.ops.console.operate.ScopeChange.DailyLimits;
import dev.flyball.ops.console.view.Summary.DaySpend.Budget;
import dev.flyball.ops.console.view.Summary.ScopeCap;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.DurationText;
import dev.flyball.program.config.Keys;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show or change what limits sessions: cap, pause and budget. */
final class LimitCommands {
  private static final Configuration NOTHING = new Configuration(Map.of(), Map.of(), Map.of());

  /** Money is in millionths of a dollar. */
  private static final int MICRO_DIGITS = 6;

  private LimitCommands() {}

  @Command(
      name = "cap",
      mixinStandardHelpOptions = true,
      description =
          "Show or set the maximum number of sessions that run at the same time, on all runners"
              + " together. Without N, list the caps of all scopes. Lowering one stops no session.")
  static Exit cap(
      @Mixin ScopeOptions options,
      @Mixin ConsoleOptions console,
      @Parameters(
              paramLabel = "N",
              arity = "0..1",
              description = "New cap; 0 lets no session start")
          @Nullable String limit,
      @Option(names = "--remove", description = "Remove the cap of the scope; not the global one")
          boolean remove) {
    if (limit != null && remove) {
      throw new ConfigurationError("--remove and N exclude each other; give one of them");
    }
    try (RemoteReader remote = options.remote(console, "cap", limit == null && !remove)) {
      if (remote != null) {
        remote.age().report(options.terminal());
        return options.table.print(caps(options.scope, remote.caps()));
      }
    }
    if (remove) {
      return removed(options);
    }
    if (limit == null) {
      return options.table.print(caps(options.scope, options.state()));
    }
    // The same check as of the key, before any request is sent.
    int cap = NOTHING.with(Keys.CAP, limit, "cap").get(Keys.CAP);
    return options.change(
        new ScopeChange.Cap(options.scope(), cap), state -> caps(options.scope(), state));
  }

  private static Exit removed(ScopeOptions options) {
    ScopeChange.Cap change;
    try {
      change = ScopeChange.Cap.removed(options.scope());
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("--remove: " + e.getMessage());
    }
    return options.change(change, after -> caps(null, after));
  }

  private static Table caps(@Nullable String scope, LedgerState state) {
    return caps(
        scope,
        state.capped().stream()
            .map(each -> new ScopeCap(each, state.cap(each).orElseThrow(), state.live(each)))
            .toList());
  }

  /** The cap of a scope, or all caps. */
  private static Table caps(@Nullable String scope, List<ScopeCap> all) {
    var rows = new Table("scope", "cap", "live");
    List<ScopeCap> shown =
        all.stream().filter(it -> scope == null || it.scope().equals(scope)).toList();
    shown.forEach(it -> rows.row(it.scope(), it.cap(), it.live()));
    return shown.isEmpty() ? rows.row(scope == null ? Scope.GLOBAL : scope, null, null) : rows;
  }

  @Command(
      name = "pause",
      mixinStandardHelpOptions = true,
      description =
          "Let no session start in a scope, on any runner, until it is resumed. Running sessions"
              + " continue.")
  static Exit pause(
      @Mixin ScopeOptions options,
      @Option(
              names = "--for",
              paramLabel = "DURATION",
              description = "Resume after this time, for example 30m (default: never)")
          @Nullable String duration) {
    Instant until = duration == null ? null : Instant.now().plus(span("--for", duration));
    return options.change(new ScopeChange.Pause(options.scope(), until), LimitCommands::pauses);
  }

  @Command(
      name = "resume",
      mixinStandardHelpOptions = true,
      description = "End the pause of a scope and show the pauses that remain.")
  static Exit resume(@Mixin ScopeOptions options) {
    String scope = options.scope();
    LedgerState state = options.state();
    if (state.pauses(Instant.now()).stream().noneMatch(it -> it.scope().equals(scope))) {
      options.table.print(pauses(state));
      options.terminal().note("nothing was changed: " + scope + " is not paused");
      return Exit.FAILED;
    }
    return options.change(new ScopeChange.Resume(scope), LimitCommands::pauses);
  }

  private static Table pauses(LedgerState state) {
    var table = new Table("scope", "until", "who", "why");
    for (LedgerEntry.Pause pause : state.pauses(Instant.now())) {
      table.row(pause.scope(), pause.until(), pause.who(), pause.why());
    }
    return table;
  }

  @Command(
      name = "budget",
      mixinStandardHelpOptions = true,
      description =
          "Show or set what may be spent in a UTC day. A session whose own budget"
              + " does not fit in what is left of the day does not start.")
  static Exit budget(
      @Mixin ScopeOptions options,
      @Mixin ConsoleOptions console,
      @Option(
              names = "--daily-usd",
              paramLabel = "USD",
              description = "Limit in US dollars, for example 20, or none")
          @Nullable String usd,
      @Option(names = "--daily-tokens", paramLabel = "N", description = "Limit in tokens, or none")
          @Nullable String tokens,
      @Option(names = "--none", description = "Remove all limits of the scope") boolean none) {
    boolean given = usd != null || tokens != null;
    if (given && none) {
      throw new ConfigurationError("--none and a limit exclude each other; give one of them");
    }
    try (RemoteReader remote = options.remote(console, "budget", !given && !none)) {
      if (remote != null) {
        remote.age().report(options.terminal());
        return options.table.print(budget(options.scope(), remote.spend().budgets()));
      }
    }
    if (!given && !none) {
      return options.table.print(budget(options.scope(), options.state()));
    }
    // A wrong value is rejected before any request is sent.
    DailyLimits limits = none ? DailyLimits.NONE : limits(usd, tokens);
    return options.change(
        new ScopeChange.Budget(options.scope(), limits), state -> budget(options.scope(), state));
  }

  private static DailyLimits limits(@Nullable String usd, @Nullable String tokens) {
    try {
      return new DailyLimits(usd, tokens);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError("--" + e.getMessage());
    }
  }

  private static Table budget(String scope, LedgerState state) {
    Instant now = Instant.now();
    Limits limits = state.limits(scope);
    return budget(
        scope,
        List.of(
            new Budget(
                scope,
                state.spentMicros(scope, now),
                limits.dailyCostMicros(),
                state.spentTokens(scope, now),
                limits.dailyTokens())));
  }

  /** The budget of a scope, and what is spent of it today; only its name if it is not known. */
  private static Table budget(String scope, List<Budget> all) {
    var rows = new Table("scope", "dailyUsd", "spentUsd", "dailyTokens", "spentTokens");
    return all.stream()
        .filter(it -> it.scope().equals(scope))
        .findFirst()
        .map(it ->
            rows.row(
                scope,
                dollars(it.limitMicros()),
                dollars(it.spentMicros()),
                it.limitTokens(),
                it.spentTokens()))
        .orElseGet(() -> rows.row(scope, null, null, null, null));
  }

  /** Millionths of a dollar as dollars and cents. */
  private static @Nullable BigDecimal dollars(@Nullable Long micros) {
    return micros == null
        ? null
        : BigDecimal.valueOf(micros, MICRO_DIGITS).setScale(2, RoundingMode.HALF_UP);
  }

  /** The duration that an option was given. */
  static Duration span(String option, String given) {
    try {
      return DurationText.parse(given);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationError(
          option + " " + given + ": not a duration; write for example 500ms, 30s, 10m, 2h or 1d");
    }
  }
}
