package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.operate.CommandSender.By;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A change of what limits the sessions of a scope, by the command line or the console.
 *
 * @param label its name, as messages show it
 * @param scope what is changed: global, tenant:T, source:T/S or provider:P
 * @param least the role that it needs in the tenant of its scope
 * @param unneeded why there is nothing to change in a state, one line; empty if there is something
 * @param making makes the ledger's entry
 */
public record ScopeChange(
    String label,
    String scope,
    AccessRole least,
    Function<LedgerState, Optional<String>> unneeded,
    Making making) {
  private static final Pattern SCOPE =
      Pattern.compile(
          "global|tenant:[a-z0-9-]+|source:[a-z0-9-]+/[a-z0-9-]+"
              + "|provider:[a-z0-9-]+(?:/[a-z0-9-]+)?");

  /** The highest cap. */
  private static final int MOST_SESSIONS = 10_000;

  /** Money is in millionths of a dollar. */
  private static final int MICRO_DIGITS = 6;

  /** Without exponents: writing out 1e1000000000 takes a processor for minutes. */
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,20}(\\.[0-9]{1,20})?");

  public ScopeChange {
    requireScope(scope);
  }

  /** Makes the ledger's entry, given the state that it changes. */
  public interface Making {
    /**
     * The entry.
     *
     * @param seen the offset of the scope's last change in this state
     */
    LedgerEntry of(LedgerState state, long seen, By by);
  }

  private ScopeChange(String label, String scope, AccessRole least, Making making) {
    this(label, scope, least, _ -> Optional.empty(), making);
  }

  /** Lets no session start until a time, or until resumed. */
  public static ScopeChange pause(String scope, @Nullable Instant until) {
    return new ScopeChange(
        "pause",
        scope,
        AccessRole.OPERATOR,
        (_, seen, by) -> new LedgerEntry.Pause(scope, until, seen, by.who(), by.why()));
  }

  /** Ends a pause. */
  public static ScopeChange resume(String scope) {
    return new ScopeChange(
        "resume",
        scope,
        AccessRole.OPERATOR,
        state ->
            state.pauses(Instant.now()).stream().anyMatch(it -> it.scope().equals(scope))
                ? Optional.empty()
                : Optional.of(scope + " is not paused"),
        (_, seen, by) -> new LedgerEntry.Resume(scope, seen, by.who(), by.why()));
  }

  /** Sets how many sessions run at the same time. */
  public static ScopeChange cap(String scope, int limit) {
    if (limit < 0 || limit > MOST_SESSIONS) {
      throw new IllegalArgumentException(
          "limit must be a whole number from 0 to " + MOST_SESSIONS + ", or none");
    }
    return new ScopeChange(
        "cap",
        scope,
        AccessRole.ADMIN,
        (_, seen, by) -> new LedgerEntry.Cap(scope, limit, seen, by.who(), by.why()));
  }

  /** Removes the cap of a scope, never the global one: a run without any cap is the incident. */
  public static ScopeChange uncapped(String scope) {
    if (scope.equals(Scope.GLOBAL)) {
      throw new IllegalArgumentException(
          "the global cap cannot be removed; set it to a number, or name another scope");
    }
    return new ScopeChange(
        "cap",
        scope,
        AccessRole.ADMIN,
        state ->
            state.cap(scope).isPresent() ? Optional.empty() : Optional.of(scope + " has no cap"),
        (_, seen, by) -> new LedgerEntry.Cap(scope, ClaimRule.NO_CAP, seen, by.who(), by.why()));
  }

  /**
   * Sets what may be spent in a UTC day.
   *
   * @param usd US dollars as an operator writes them, {@code none} for no limit, null to keep it
   * @param tokens the same in tokens
   * @throws IllegalArgumentException with one line if a value is not a limit
   */
  public static ScopeChange budget(String scope, @Nullable String usd, @Nullable String tokens) {
    Long micros = amount("daily-usd", usd, MICRO_DIGITS);
    Long count = amount("daily-tokens", tokens, 0);
    return new ScopeChange(
        "budget",
        scope,
        AccessRole.ADMIN,
        (state, seen, by) -> {
          Limits before = state.limits(scope);
          var limits =
              new Limits(
                  usd == null ? before.dailyCostMicros() : micros,
                  tokens == null ? before.dailyTokens() : count);
          return new LedgerEntry.Budget(scope, limits, seen, by.who(), by.why());
        });
  }

  LedgerEntry entry(LedgerState state, By by) {
    return making.of(state, state.lastOperator(scope), by);
  }

  /**
   * Rejects what is not a scope.
   *
   * @throws IllegalArgumentException with one line
   */
  public static void requireScope(String scope) {
    if (!SCOPE.matcher(scope).matches()) {
      throw new IllegalArgumentException(
          "scope " + scope + ": allowed are global, tenant:T, source:T/S and provider:P");
    }
  }

  private static @Nullable Long amount(String name, @Nullable String given, int digits) {
    if (given == null || given.equals("none")) {
      return null;
    }
    try {
      if (DECIMAL.matcher(given).matches()) {
        RoundingMode rounding = digits == 0 ? RoundingMode.UNNECESSARY : RoundingMode.DOWN;
        return new BigDecimal(given).movePointRight(digits).setScale(0, rounding).longValueExact();
      }
    } catch (ArithmeticException e) {
      // Reported below, together with what is no number.
    }
    long most = Long.MAX_VALUE / (digits == 0 ? 1 : 1_000_000);
    String kind = digits == 0 ? "a whole number" : "a number";
    throw new IllegalArgumentException(
        name + ": '" + given + "' is not " + kind + " from 0 to " + most + ", or none");
  }
}
