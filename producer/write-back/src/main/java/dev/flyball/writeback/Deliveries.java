package dev.flyball.writeback;

import dev.flyball.tracker.Comments;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.azure.AzureComments;
import dev.flyball.tracker.github.GitHubComments;
import dev.flyball.tracker.jira.JiraComments;
import dev.flyball.tracker.redmine.RedmineComments;
import java.time.InstantSource;

/** Opens the write-back of a source. */
public final class Deliveries {
  private Deliveries() {}

  /**
   * Where a source's analyses are delivered; sends no request yet.
   *
   * @throws IllegalArgumentException if the source is configured without write-back, or with
   *     comments although its type has none
   */
  public static Delivery open(SourceConfig config, InstantSource clock) {
    return switch (config.rules().writeBack()) {
      case WriteBack.Off _ -> throw new IllegalArgumentException(config.key() + " wants none");
      case WriteBack.Comment _ -> new CommentDelivery(comments(config, clock));
      case WriteBack.Webhook(var url, var token) -> new WebhookDelivery(url, token);
    };
  }

  private static Comments comments(SourceConfig config, InstantSource clock) {
    return switch (config) {
      case SourceConfig.GitHub github -> GitHubComments.of(github, clock);
      case SourceConfig.Jira jira -> JiraComments.of(jira, clock);
      case SourceConfig.Redmine redmine -> RedmineComments.of(redmine, clock);
      case SourceConfig.AzureDevOps azure -> AzureComments.of(azure, clock);
      case SourceConfig.AzureDevOpsCli _, SourceConfig.Jsonl _ ->
          throw new IllegalArgumentException(
              config.key() + ": write-back comment needs a tracker with REST; use a webhook");
    };
  }
}
