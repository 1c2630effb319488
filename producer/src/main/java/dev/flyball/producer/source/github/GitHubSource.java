package dev.flyball.producer.source.github;

import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.PollResult;
import dev.flyball.producer.source.Source;
import dev.flyball.producer.source.SourceConfig;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Issues of one GitHub repository. */
public final class GitHubSource implements Source {
  private final SourceConfig.GitHub config;

  /** Asks nothing yet. */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock) {
    this.config = config;
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    return new PollResult.Failed(
        Failure.of(Failure.Category.NOT_FOUND, config.key() + ": not in this version yet"));
  }
}
