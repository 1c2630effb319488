package shop.cart;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Carts by the visitor's cookie. They outlive a login and are forgotten after some days. */
public final class CartStore {
  private record Kept(Cart cart, Instant lastUsed) {}

  private final Map<String, Kept> carts = new HashMap<>();
  private final Clock clock;
  private final Duration keep;

  public CartStore(Clock clock, Duration keep) {
    this.clock = clock;
    this.keep = keep;
  }

  public Cart of(String visitor) {
    Kept kept = carts.get(visitor);
    Cart cart = kept == null ? new Cart() : kept.cart();
    carts.put(visitor, new Kept(cart, clock.instant()));
    return cart;
  }

  /** Gives the cart of an anonymous visitor to the customer who has just signed in. */
  public void moveTo(String customer, String visitor) {
    Kept anonymous = carts.remove(visitor);
    if (anonymous != null) {
      carts.put(customer, anonymous);
    }
  }

  /** Forgets old carts; called by a timer, beside requests. */
  public void sweep() {
    Instant oldest = clock.instant().minus(keep);
    for (Map.Entry<String, Kept> entry : carts.entrySet()) {
      if (entry.getValue().lastUsed().isBefore(oldest)) {
        carts.remove(entry.getKey());
      }
    }
  }
}
