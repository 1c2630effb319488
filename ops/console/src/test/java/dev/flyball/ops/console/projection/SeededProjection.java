package dev.flyball.ops.console.projection;

import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** A projection of some items, for tests of what is read from it. */
public final class SeededProjection {
  private SeededProjection() {}

  /** Writes items in the state new. */
  public static void write(Path folder, String... keys) {
    var projection = new Projection(folder, 10, 10);
    try {
      for (String key : keys) {
        projection.commit(() -> projection.items().put(key, state()));
      }
    } finally {
      projection.close();
    }
  }

  private static ItemState state() {
    return new ItemState(
        ItemState.SCHEMA,
        Sample.snapshot("A title", "text"),
        new Position(0, 0),
        null,
        new ItemPhase.New(),
        null,
        List.of(),
        0,
        0L,
        Instant.parse("2026-02-10T08:00:00Z"));
  }
}
