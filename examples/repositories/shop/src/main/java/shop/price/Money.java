package shop.price;

import java.util.Locale;

/** An amount in euro, as whole cents. */
public record Money(long cents) {
  public static final Money ZERO = new Money(0);

  /** Reads "12.90". */
  public static Money parse(String text) {
    return new Money((long) (Double.parseDouble(text.strip()) * 100));
  }

  public Money plus(Money other) {
    return new Money(cents + other.cents);
  }

  public Money minus(Money other) {
    return new Money(cents - other.cents);
  }

  public Money times(int factor) {
    return new Money(cents * factor);
  }

  /** A share of the amount, rounded half up to a cent. */
  public Money percent(int percent) {
    return new Money((cents * percent + 50) / 100);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%d.%02d EUR", cents / 100, cents % 100);
  }
}
