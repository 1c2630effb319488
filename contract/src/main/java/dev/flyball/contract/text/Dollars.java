package dev.flyball.contract.text;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Micro-dollars as text, always with ASCII digits and a point. */
public final class Dollars {
  private Dollars() {}

  /** The exact amount without trailing zeros, for example {@code 0.5}. */
  public static String exact(long micros) {
    return BigDecimal.valueOf(micros, 6).stripTrailingZeros().toPlainString();
  }

  /** The amount rounded to cents, for tables: {@code 0.50}. */
  public static String rounded(long micros) {
    return BigDecimal.valueOf(micros, 6).setScale(2, RoundingMode.HALF_UP).toPlainString();
  }
}
