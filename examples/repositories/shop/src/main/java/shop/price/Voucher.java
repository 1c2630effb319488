package shop.price;

import java.time.LocalDate;

/** A code that makes an order cheaper, by a percentage or by an amount. */
public record Voucher(String code, int percent, Money amount, LocalDate validUntil, int usesLeft) {

  /** Whether it may be redeemed on a day. The last day counts. */
  public boolean validOn(LocalDate day) {
    return day.isBefore(validUntil) && usesLeft > 0;
  }

  public boolean matches(String typed) {
    return code.equals(typed);
  }

  /** What it takes off the goods. */
  public Money discount(Money goods) {
    return percent > 0 ? goods.percent(percent) : amount;
  }

  public Voucher used() {
    return new Voucher(code, percent, amount, validUntil, usesLeft - 1);
  }
}
