package shop.price;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;
import shop.catalog.Product;

final class PriceCalculatorTest {
  private static final Product MUG =
      new Product("MUG-1", "Mug", "A blue mug", new Money(1190), "normal", 400, false);

  @Test
  void addsGoodsAndShipping() {
    var total =
        new PriceCalculator(Map.of("MUG-1", MUG))
            .total(Map.of("MUG-1", 2), null, new Money(490), "DE");
    assertEquals(new Money(2870), total.toPay());
    assertEquals(new Money(380), total.vat());
  }

  @Test
  void aVoucherTakesItsPercentage() {
    Voucher spring = new Voucher("SPRING", 10, Money.ZERO, LocalDate.of(2026, 5, 31), 100);
    var total =
        new PriceCalculator(Map.of("MUG-1", MUG))
            .total(Map.of("MUG-1", 1), spring, Money.ZERO, "DE");
    assertEquals(new Money(119), total.discount());
  }
}
