package dev.flyball.program.cli;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.ops.console.operate.OperatorDesk;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows or sets what a scope may spend in a day. */
@Command(
    name = "budget",
    mixinStandardHelpOptions = true,
    description =
        "Sets what may be spent in a UTC day; without a limit shows it and what is spent. A session"
            + " whose reserve would break a budget does not start.")
final class BudgetCommand implements Callable<Integer> {
  private static final int MICRO_DIGITS = 6;
  private final Terminal terminal;

  @Mixin OperatorOptions options = new OperatorOptions();

  @Option(names = "--daily-usd", paramLabel = "USD", description = "Dollars, for example 20")
  @Nullable BigDecimal dailyUsd;

  @Option(names = "--daily-tokens", paramLabel = "N", description = "Tokens")
  @Nullable Long dailyTokens;

  @Option(names = "--none", description = "No limit at all")
  boolean none;

  BudgetCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    BigDecimal usd = dailyUsd;
    Long tokens = dailyTokens;
    boolean given = usd != null || tokens != null;
    if (given && none) {
      throw new ConfigurationError(List.of("--none and a limit together: give one of them"));
    }
    if ((usd != null && usd.signum() < 0) || (tokens != null && tokens < 0)) {
      throw new ConfigurationError(List.of("a budget is 0 or more"));
    }
    OperatorDesk desk = options.desk(terminal);
    if (!given && !none) {
      show(desk.state());
      return Exit.DONE.code();
    }
    var limits = new LedgerEntry.Limits(usd == null ? null : micros(usd), tokens);
    OperatorDesk.Answer answer =
        desk.change(
            options.scope,
            seen ->
                new LedgerEntry.Budget(
                    options.scope, limits, seen, OperatorOptions.who(), options.why));
    show(answer.state());
    return OperatorOptions.exit(answer, terminal, "another change came first; look and try again")
        .code();
  }

  private void show(LedgerState state) {
    LedgerEntry.Limits limits = state.limits(options.scope);
    Long cost = limits.dailyCostMicros();
    Long tokens = limits.dailyTokens();
    Instant now = Instant.now();
    new Table("scope", "dailyUsd", "spentUsd", "dailyTokens", "spentTokens")
        .row(
            options.scope,
            cost == null ? "" : dollars(cost),
            dollars(state.spentMicros(options.scope, now)),
            tokens == null ? "" : tokens,
            state.spentTokens(options.scope, now))
        .print(terminal, options.json);
  }

  private static long micros(BigDecimal usd) {
    try {
      return usd.movePointRight(MICRO_DIGITS).setScale(0, RoundingMode.DOWN).longValueExact();
    } catch (ArithmeticException e) {
      throw new ConfigurationError(List.of("--daily-usd " + usd + " is too large"));
    }
  }

  private static BigDecimal dollars(long micros) {
    return BigDecimal.valueOf(micros, MICRO_DIGITS).setScale(2, RoundingMode.HALF_UP);
  }
}
