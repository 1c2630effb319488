package shop.order;

import java.time.Instant;
import java.util.Map;
import shop.price.PriceCalculator.Total;

/** An order and its state. */
public final class Order {
  public enum State {
    PLACED,
    PAID,
    SHIPPED,
    CANCELLED
  }

  private final String id;
  private final String customer;
  private final Map<String, Integer> lines;
  private final Total total;
  private final Instant placedAt;
  private State state = State.PLACED;

  public Order(
      String id, String customer, Map<String, Integer> lines, Total total, Instant placedAt) {
    this.id = id;
    this.customer = customer;
    this.lines = Map.copyOf(lines);
    this.total = total;
    this.placedAt = placedAt;
  }

  /** Moves on; an order that was sent cannot be cancelled. */
  public void become(State next) {
    if (state == State.SHIPPED && next == State.CANCELLED) {
      throw new IllegalStateException("order " + id + " is on its way");
    }
    state = next;
  }

  public String id() {
    return id;
  }

  public String customer() {
    return customer;
  }

  public Map<String, Integer> lines() {
    return lines;
  }

  public Total total() {
    return total;
  }

  public Instant placedAt() {
    return placedAt;
  }

  public State state() {
    return state;
  }
}
