package dev.flyball.tracker;

import dev.flyball.tracker.azure.AzureDevOpsSource;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.gitlab.GitLabSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraSource;
import dev.flyball.tracker.redmine.RedmineSource;
import java.time.InstantSource;

/** Opens configured sources: the one place that knows each kind of tracker. */
public final class Sources {
  private Sources() {}

  /**
   * The source of a configuration; sends no request yet.
   *
   * @param limits shared by all sources of a process
   * @throws IllegalArgumentException with what is wrong with the configuration, for example a query
   */
  public static Source open(SourceConfig config, InstantSource clock, TrackerLimits limits) {
    return switch (config) {
      case SourceConfig.Jsonl file ->
          new JsonlSource(file.path(), file.tenant(), file.name(), clock);
      case SourceConfig.AzureDevOps azure -> new AzureDevOpsSource(azure, clock, limits);
      case SourceConfig.GitHub github -> new GitHubSource(github, clock, limits);
      case SourceConfig.GitLab gitlab -> new GitLabSource(gitlab, clock, limits);
      case SourceConfig.Jira jira -> new JiraSource(jira, clock, limits);
      case SourceConfig.Redmine redmine -> new RedmineSource(redmine, clock, limits);
    };
  }
}
