package shop.price;

import java.util.Map;

/** Rates of value added tax by country and group of goods, in percent. */
public final class VatTable {
  private static final Map<String, Integer> NORMAL = Map.of("DE", 19, "AT", 20, "FR", 20, "IT", 22);
  private static final Map<String, Integer> REDUCED = Map.of("DE", 7, "AT", 10, "FR", 10, "IT", 10);

  private VatTable() {}

  public static int rate(String country, String group) {
    Map<String, Integer> rates = group.equals("reduced") ? REDUCED : NORMAL;
    Integer rate = rates.get(country);
    if (rate == null) {
      throw new IllegalStateException("no rate for " + country);
    }
    return rate;
  }

  /** The tax contained in a gross amount. */
  public static Money contained(Money gross, String country, String group) {
    int rate = rate(country, group);
    return new Money(Math.round(gross.cents() * (double) rate / (100 + rate)));
  }
}
