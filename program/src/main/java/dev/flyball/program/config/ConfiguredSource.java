package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One source: what the producer polls, and where sessions of its items work. Its components are the
 * keys of an entry in the list of sources.
 */
public record ConfiguredSource(SourceConfig source, Place place) {
  /**
   * Where sessions work.
   *
   * @param repository null for {@code sessions.repo}
   * @param branch of that repository; null for the folder as it is
   */
  public record Place(
      @ConfigKey(
              name = "repo",
              meaning =
                  "The repository that sessions of its items read; by default `sessions.repo`")
          @Nullable Path repository,
      @ConfigKey(
              name = "branch",
              matches =
                  "(?!.*(\\.\\.|//|/\\.|\\.lock(/|$)))[A-Za-z0-9_][A-Za-z0-9_./+-]{0,199}(?<![/.])",
              allowed = "a branch, for example main or release/1.2",
              meaning = "The branch of it that they read; by default the folder as it is")
          @Nullable String branch) {
    /** The folder of {@code sessions.repo} as it is. */
    public static final Place USUAL = new Place(null, null);
  }
}
