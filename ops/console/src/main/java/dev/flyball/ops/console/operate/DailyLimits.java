package dev.flyball.ops.console.operate;

import dev.flyball.contract.ledger.Limits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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
        return new BigDecimal(given).movePointRight(digits).setScale(0, rounding).longValueExact();
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
