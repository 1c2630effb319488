package shop.stock;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Holds pieces for an order until it is paid; unpaid ones go back after a while. */
public final class StockReservation {
  private record Held(Map<String, Integer> pieces, Instant until) {}

  private final Map<String, Held> held = new HashMap<>();
  private final StockLevels levels;
  private final Clock clock;
  private final Duration keep;

  public StockReservation(StockLevels levels, Clock clock, Duration keep) {
    this.levels = levels;
    this.clock = clock;
    this.keep = keep;
  }

  /** Reserves all lines of an order, or fails because one is sold out. */
  public void reserve(String orderId, Map<String, Integer> lines) {
    for (Map.Entry<String, Integer> line : lines.entrySet()) {
      if (levels.of(line.getKey()) < line.getValue()) {
        throw new IllegalStateException(
            "only " + levels.of(line.getKey()) + " left of " + line.getKey());
      }
      levels.change(line.getKey(), -line.getValue());
    }
    held.put(orderId, new Held(Map.copyOf(lines), clock.instant().plus(keep)));
  }

  /** The order is paid: its pieces are gone for good. */
  public void take(String orderId) {
    held.remove(orderId);
  }

  /** Gives back what was not paid in time; called by a timer. */
  public void expire() {
    held.entrySet()
        .removeIf(entry -> {
          boolean over = entry.getValue().until().isBefore(clock.instant());
          if (over) {
            entry.getValue().pieces().forEach(levels::change);
          }
          return over;
        });
  }
}
