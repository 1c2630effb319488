package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.ClaimRule;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.ops.console.access.AccessRole;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A change of what limits the sessions of a scope, by the command line or the console. */
public sealed interface ScopeChange {
  /** Which scopes exist. */
  Pattern SCOPE =
      Pattern.compile(
          "global|tenant:[a-z0-9-]+|source:[a-z0-9-]+/[a-z0-9-]+"
              + "|provider:[a-z0-9-]+(?:/[a-z0-9-]+)?");

  /** The highest cap. */
  int MOST_SESSIONS = 10_000;

  /** What is changed: global, tenant:T, source:T/S or provider:P. */
  String scope();

  /** Its name, as messages show it. */
  default String label() {
    return getClass().getSimpleName().toLowerCase(Locale.ROOT);
  }

  /** The role that it needs in the tenant of its scope. */
  default AccessRole least() {
    return switch (this) {
      case Pause _, Resume _ -> AccessRole.OPERATOR;
      case Cap _, Budget _ -> AccessRole.ADMIN;
    };
  }

  /** The ledger's entry, given the state that it changes. */
  default LedgerEntry entry(LedgerState state, String who, String why) {
    long seen = state.lastOperator(scope());
    return switch (this) {
      case Pause it -> new LedgerEntry.Pause(it.scope, it.until, seen, who, why);
      case Resume it -> new LedgerEntry.Resume(it.scope, seen, who, why);
      case Cap it -> new LedgerEntry.Cap(it.scope, it.limit, seen, who, why);
      case Budget it -> {
        Limits limits = it.limits.after(state.limits(it.scope));
        yield new LedgerEntry.Budget(it.scope, limits, seen, who, why);
      }
    };
  }

  /** Why there is nothing to change in this state, one line; empty if there is something. */
  default Optional<String> unneeded(LedgerState state) {
    return switch (this) {
      case Resume it
          when state.pauses(Instant.now()).stream()
              .noneMatch(pause -> pause.scope().equals(it.scope)) ->
          Optional.of(it.scope + " is not paused");
      case Cap it when it.limit == ClaimRule.NO_CAP && state.cap(it.scope).isEmpty() ->
          Optional.of(it.scope + " has no cap");
      case Pause _, Resume _, Cap _, Budget _ -> Optional.empty();
    };
  }

  /** Lets no session start until a time, or until resumed. */
  record Pause(String scope, @Nullable Instant until) implements ScopeChange {
    public Pause {
      requireScope(scope);
    }
  }

  /** Ends a pause. */
  record Resume(String scope) implements ScopeChange {
    public Resume {
      requireScope(scope);
    }
  }

  /**
   * Sets how many sessions run at the same time, or removes the cap of a scope: not the global one,
   * because a run without any cap is the incident that the cap prevents.
   */
  record Cap(String scope, int limit) implements ScopeChange {
    public Cap {
      requireScope(scope);
      if (limit == ClaimRule.NO_CAP && scope.equals(Scope.GLOBAL)) {
        throw new IllegalArgumentException(
            "the global cap cannot be removed; set it to a number, or name another scope");
      }
      if (limit != ClaimRule.NO_CAP && (limit < 0 || limit > MOST_SESSIONS)) {
        throw new IllegalArgumentException(
            "limit must be a whole number from 0 to " + MOST_SESSIONS + ", or none");
      }
    }

    /**
     * Removes the cap of a scope.
     *
     * @throws IllegalArgumentException for the global one
     */
    public static Cap removed(String scope) {
      return new Cap(scope, ClaimRule.NO_CAP);
    }
  }

  /** Sets what may be spent in a UTC day. */
  record Budget(String scope, DailyLimits limits) implements ScopeChange {
    public Budget {
      requireScope(scope);
    }
  }

  /**
   * Rejects what is not a scope.
   *
   * @throws IllegalArgumentException with one line
   */
  static void requireScope(String scope) {
    if (!SCOPE.matcher(scope).matches()) {
      throw new IllegalArgumentException(
          "scope " + scope + ": allowed are global, tenant:T, source:T/S and provider:P");
    }
  }

  /**
   * A change of the limits of a day, as an operator writes it.
   *
   * @param usd US dollars, {@code none} to remove the limit, null to keep it
   * @param tokens the same in tokens
   */
  public record DailyLimits(@Nullable String usd, @Nullable String tokens) {
    /** Removes both limits. */
    public static final DailyLimits NONE = new DailyLimits("none", "none");

    /** Money is in millionths of a dollar. */
    private static final int MICRO_DIGITS = 6;

    /** Without exponents: writing out 1e1000000000 takes a processor for minutes. */
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,20}(\\.[0-9]{1,20})?");

    /**
     * @throws IllegalArgumentException with one line if a value is not a limit
     */
    public DailyLimits {
      var _ = amount("daily-usd", usd, MICRO_DIGITS);
      var _ = amount("daily-tokens", tokens, 0);
    }

    /** The limits after the change; one that is not named stays. */
    public Limits after(Limits before) {
      return new Limits(
          usd == null ? before.dailyCostMicros() : amount("daily-usd", usd, MICRO_DIGITS),
          tokens == null ? before.dailyTokens() : amount("daily-tokens", tokens, 0));
    }

    private static @Nullable Long amount(String name, @Nullable String given, int digits) {
      if (given == null || given.equals("none")) {
        return null;
      }
      try {
        if (DECIMAL.matcher(given).matches()) {
          RoundingMode rounding = digits == 0 ? RoundingMode.UNNECESSARY : RoundingMode.DOWN;
          return new BigDecimal(given)
              .movePointRight(digits)
              .setScale(0, rounding)
              .longValueExact();
        }
      } catch (ArithmeticException e) {
        // Reported below, together with what is no number.
      }
      long most = Long.MAX_VALUE / (digits == 0 ? 1 : 1_000_000);
      throw new IllegalArgumentException(
          name
              + ": '"
              + given
              + "' is not "
              + (digits == 0 ? "a whole number from 0 to " + most : "a number from 0 to " + most)
              + ", or none");
    }
  }
}
