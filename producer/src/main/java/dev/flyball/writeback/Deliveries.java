package dev.flyball.writeback;

import dev.flyball.tracker.Comments;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.azure.AzureComments;
import dev.flyball.tracker.github.GitHubComments;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraComments;
import dev.flyball.tracker.redmine.RedmineComments;
import java.time.InstantSource;

/** Opens the write-back of a source. */
final class Deliveries {
  private Deliveries() {}

  /**
   * Where a source's analyses are delivered; sends no request yet.
   *
   * @param limits of requests to trackers, those of the polls
   * @throws IllegalArgumentException if the source is configured without write-back, or with
   *     comments although its type has none
   */
  static Delivery open(SourceConfig config, InstantSource clock, TrackerLimits limits) {
    return switch (config.rules().writeBack()) {
      case WriteBack.Off _ -> throw new IllegalArgumentException(config.key() + " wants none");
      case WriteBack.Comment _ -> new CommentDelivery(comments(config, clock, limits));
      case WriteBack.Webhook webhook -> new WebhookDelivery(webhook, clock);
    };
  }

  private static Comments comments(SourceConfig config, InstantSource clock, TrackerLimits limits) {
    return switch (config) {
      case SourceConfig.GitHub github -> GitHubComments.of(github, clock, limits);
      case SourceConfig.Jira jira -> JiraComments.of(jira, clock, limits);
      case SourceConfig.Redmine redmine -> RedmineComments.of(redmine, clock, limits);
      case SourceConfig.AzureDevOps azure -> AzureComments.of(azure, clock, limits);
      case SourceConfig.Jsonl _ ->
          throw new IllegalArgumentException(
              config.key()
                  + ": write-back: comment is not possible for a file; use write-back: webhook");
    };
  }
}
