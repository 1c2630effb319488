package shop.catalog;

import shop.price.Money;

/** A thing that is sold. Hidden products keep their page for old orders but are not listed. */
public record Product(
    String sku,
    String name,
    String description,
    Money price,
    String vatGroup,
    int weightGrams,
    boolean hidden) {
  public Product {
    if (sku.isBlank() || name.isBlank()) {
      throw new IllegalArgumentException("a product needs a sku and a name");
    }
    if (weightGrams < 0) {
      throw new IllegalArgumentException("weight of " + sku + " is negative");
    }
  }
}
