package shop.stock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StockReservationTest {
  private final StockLevels levels = new StockLevels();
  private final StockReservation reservation =
      new StockReservation(levels, Clock.systemUTC(), Duration.ofMinutes(30));

  @Test
  void reservedPiecesAreNotSoldTwice() {
    levels.change("MUG-1", 1);
    reservation.reserve("20260314-0001", Map.of("MUG-1", 1));
    assertEquals(0, levels.of("MUG-1"));
    assertThrows(
        IllegalStateException.class,
        () -> reservation.reserve("20260314-0002", Map.of("MUG-1", 1)));
  }
}
