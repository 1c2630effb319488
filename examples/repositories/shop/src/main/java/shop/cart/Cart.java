package shop.cart;

import java.util.LinkedHashMap;
import java.util.Map;
import shop.price.Money;

/** What a customer wants to buy: quantities by sku, in the order they were added. */
public final class Cart {
  /** Most pieces of one product in one cart. */
  static final int MAX_QUANTITY = 99;

  private final Map<String, Integer> lines = new LinkedHashMap<>();
  private String voucher;

  /** Adds pieces of a product; a product that is in the cart already becomes more. */
  public void add(String sku, int quantity) {
    if (quantity < 1) {
      throw new IllegalArgumentException("quantity must be positive");
    }
    lines.put(sku, quantity);
  }

  /** Sets a quantity; zero removes the line. */
  public void change(String sku, int quantity) {
    if (quantity == 0) {
      lines.remove(sku);
    } else {
      lines.put(sku, Math.min(quantity, MAX_QUANTITY));
    }
  }

  public void redeem(String code) {
    voucher = code.strip();
  }

  public String voucher() {
    return voucher;
  }

  public Map<String, Integer> lines() {
    return Map.copyOf(lines);
  }

  /** Whether the cart qualifies for free delivery. */
  public boolean reaches(Money goods, Money threshold) {
    return goods.cents() > threshold.cents();
  }

  public boolean isEmpty() {
    return lines.isEmpty();
  }
}
