package dev.flyball.producer;

import dev.flyball.tracker.JsonlSource;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.azure.AzureDevOpsSource;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraSource;
import dev.flyball.tracker.redmine.RedmineSource;
import java.time.InstantSource;
import java.util.function.BiFunction;

/** Opens configured sources. */
final class Sources {
  private Sources() {}

  /** Opens sources that together respect these limits. */
  static BiFunction<SourceConfig, InstantSource, Source> within(TrackerLimits limits) {
    return (config, clock) -> open(config, clock, limits);
  }

  /** The source of a configuration, without others; sends no request yet. */
  static Source open(SourceConfig config, InstantSource clock) {
    return open(config, clock, new TrackerLimits());
  }

  /**
   * The source of a configuration; sends no request yet.
   *
   * @param limits shared by all sources of a process
   */
  static Source open(SourceConfig config, InstantSource clock, TrackerLimits limits) {
    return switch (config) {
      case SourceConfig.Jsonl file ->
          new JsonlSource(file.path(), file.tenant(), file.name(), clock);
      case SourceConfig.AzureDevOps azure -> new AzureDevOpsSource(azure, clock, limits);
      case SourceConfig.GitHub github -> new GitHubSource(github, clock, limits);
      case SourceConfig.Jira jira -> new JiraSource(jira, clock, limits);
      case SourceConfig.Redmine redmine -> new RedmineSource(redmine, clock, limits);
    };
  }
}
