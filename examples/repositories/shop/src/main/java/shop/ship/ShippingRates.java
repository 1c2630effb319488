package shop.ship;

import java.util.Map;
import shop.catalog.Product;
import shop.price.Money;

/** Postage by weight and country. */
public final class ShippingRates {
  private static final Map<String, Money> PARCEL =
      Map.of(
          "DE", new Money(490), "AT", new Money(890), "FR", new Money(1290), "IT", new Money(1390));

  /** Heavier parcels go by the pallet. */
  private static final int MAX_GRAMS = 31_500;

  private static final Money LETTER = new Money(270);
  private final Map<String, Product> products;

  public ShippingRates(Map<String, Product> products) {
    this.products = products;
  }

  public Money cost(Map<String, Integer> lines, String country) {
    int grams = 0;
    for (Map.Entry<String, Integer> line : lines.entrySet()) {
      grams += products.get(line.getKey()).weightGrams();
    }
    if (grams > MAX_GRAMS) {
      throw new IllegalArgumentException("too heavy for a parcel: " + grams + " g");
    }
    return grams <= 500 && country.equals("DE") ? LETTER : PARCEL.get(country);
  }
}
