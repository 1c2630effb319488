package dev.flyball.ops.console;

import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.HttpProblem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the console.
 *
 * @param data folder of {@code console.db}; made if missing. The caller holds the lock on it
 * @param timeline most events kept of one item
 * @param wallClock {@code sessions.wall-clock}, shown as the limit of a running session
 * @param reserves what a claim of each profile's session would reserve of a budget, in
 *     micro-dollars, by the profile's name
 * @param traceLink where people look at a trace, with {@code {trace}} for its id; null for no links
 */
public record ConsoleConfig(
    Path data,
    int timeline,
    Duration wallClock,
    Map<String, Long> reserves,
    @Nullable String traceLink) {
  /** Events kept of one item. */
  public static final int TIMELINE = 500;

  /** Ended sessions kept. */
  public static final int SESSIONS = 10_000;

  public ConsoleConfig {
    reserves = Map.copyOf(reserves);
  }

  /** The same with timelines that keep every event, because a run's figures are counted there. */
  public ConsoleConfig withWholeTimelines() {
    return new ConsoleConfig(data, Integer.MAX_VALUE, wallClock, reserves, traceLink);
  }

  /**
   * The projection as a viewer may see it.
   *
   * @throws HttpProblem 503 if the console has not read Kafka yet
   */
  ConsoleView view(Viewer viewer) {
    return ConsoleView.open(data, TenantScope.of(viewer))
        .orElseThrow(() ->
            new HttpProblem(503, "the console has not read Kafka yet; try again in a moment"));
  }

  /** The default of everything but the folder. */
  public static ConsoleConfig defaults(Path data) {
    return new ConsoleConfig(data, TIMELINE, Duration.ofMinutes(10), Map.of(), null);
  }
}
