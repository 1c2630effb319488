package dev.flyball.producer.source.azure;

import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.PollResult;
import dev.flyball.producer.source.Source;
import dev.flyball.producer.source.SourceConfig;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** Azure DevOps by its command line. */
public final class AzureDevOpsCliSource implements Source {
  private final SourceConfig.AzureDevOpsCli config;

  /** Asks nothing yet. */
  public AzureDevOpsCliSource(SourceConfig.AzureDevOpsCli config, InstantSource clock) {
    this.config = config;
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    return new PollResult.Failed(
        Failure.of(Failure.Category.NOT_FOUND, config.key() + ": not in this version yet"));
  }
}
