package dev.flyball.runner.repository;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.config.ConfigKey.Unit;
import dev.flyball.contract.text.TimeSpan;
import java.time.Duration;

/**
 * The bounds of fetches.
 *
 * @param patience how long a session waits before it reads the last good state
 * @param limit the longest fetch
 * @param silence how long a server may send nothing
 * @param bytes most bytes of a mirror
 */
public record MirrorLimits(
    @ConfigKey(
            name = "sessions.fetch.wait",
            meaning =
                "How long a session waits for the fetch of a repository by URL; after that it reads"
                    + " the last good state, whose age is shown")
        Duration patience,
    Duration limit,
    Duration silence,
    @ConfigKey(
            name = "sessions.fetch.size",
            unit = Unit.BYTES,
            meaning = "Most bytes of a repository by URL in the data folder, without its trees")
        long bytes) {
  public static final MirrorLimits DEFAULT =
      new MirrorLimits(
          Duration.ofSeconds(20), Duration.ofMinutes(10), Duration.ofSeconds(10), 4L << 30);

  public MirrorLimits {
    if (patience.isNegative() || patience.isZero() || limit.compareTo(patience) < 0) {
      throw new IllegalArgumentException(
          "sessions.fetch.wait "
              + TimeSpan.exact(patience)
              + " must be above 0, and at most "
              + TimeSpan.exact(limit));
    }
  }
}
