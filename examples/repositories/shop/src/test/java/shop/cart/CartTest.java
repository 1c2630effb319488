package shop.cart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class CartTest {
  @Test
  void addsProducts() {
    Cart cart = new Cart();
    cart.add("MUG-1", 2);
    cart.add("TEA-5", 1);
    assertEquals(Map.of("MUG-1", 2, "TEA-5", 1), cart.lines());
  }

  @Test
  void quantityZeroRemovesTheLine() {
    Cart cart = new Cart();
    cart.add("MUG-1", 2);
    cart.change("MUG-1", 0);
    assertTrue(cart.isEmpty());
  }
}
