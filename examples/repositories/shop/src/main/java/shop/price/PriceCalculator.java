package shop.price;

import java.util.Map;
import shop.catalog.Product;

/** Adds up a cart: goods, discount, shipping, and the tax that is in them. */
public final class PriceCalculator {
  /** The amounts of one order. */
  public record Total(Money goods, Money discount, Money shipping, Money vat) {
    public Money toPay() {
      return goods.minus(discount).plus(shipping);
    }
  }

  private final Map<String, Product> products;

  public PriceCalculator(Map<String, Product> products) {
    this.products = products;
  }

  public Total total(Map<String, Integer> lines, Voucher voucher, Money shipping, String country) {
    Money goods = Money.ZERO;
    Money vat = Money.ZERO;
    for (Map.Entry<String, Integer> line : lines.entrySet()) {
      Product product = products.get(line.getKey());
      Money price = product.price().times(line.getValue());
      goods = goods.plus(price);
      vat = vat.plus(VatTable.contained(price, country, product.vatGroup()));
    }
    Money discount = voucher == null ? Money.ZERO : voucher.discount(goods);
    return new Total(goods, discount, shipping, vat);
  }
}
