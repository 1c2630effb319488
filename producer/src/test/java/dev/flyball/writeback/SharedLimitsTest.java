package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.azure.AzureDevOpsSource;
import dev.flyball.tracker.github.GitHubSource;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.jira.JiraSource;
import dev.flyball.tracker.redmine.RedmineSource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Write-back and polls of one host and credential keep one limit")
class SharedLimitsTest {
  private static final FaultReply WAIT = FaultReply.json(429, Map.of("Retry-After", "90"), "{}");

  @TempDir Path folder;

  private final FaultServer tracker = FaultServer.http();
  private final TrackerLimits limits = new TrackerLimits();

  @AfterEach
  void close() {
    tracker.close();
  }

  @ParameterizedTest
  @EnumSource
  void aPauseThatAPollIsAskedForHoldsWriteBackOfItsCredentialOnly(CommentingTracker.Kind kind) {
    tracker.otherwise(request -> WAIT);
    assertThat(poll(config(kind, "one"))).isInstanceOf(PollResult.Failed.class);
    int sent = tracker.requests().size();

    assertPaused(refused(config(kind, "one")));
    assertThat(tracker.requests()).hasSize(sent);

    assertThat(refused(config(kind, "another"))).isNotNull();
    assertThat(tracker.requests()).hasSize(sent + 1);
  }

  @ParameterizedTest
  @EnumSource
  void aPauseThatWriteBackIsAskedForHoldsPollsOfItsCredentialOnly(CommentingTracker.Kind kind) {
    tracker.otherwise(request -> WAIT);
    assertThat(refused(config(kind, "one"))).isNotNull();
    assertThat(tracker.requests()).hasSize(1);

    assertThat(poll(config(kind, "one")))
        .isInstanceOfSatisfying(
            PollResult.Failed.class,
            failed ->
                assertThat(failed.failure().category())
                    .isEqualTo(TrackerFailure.Category.RATE_LIMITED));
    assertThat(tracker.requests()).hasSize(1);

    poll(config(kind, "another"));
    assertThat(tracker.requests()).hasSize(2);
  }

  private static void assertPaused(SourceFailure failure) {
    assertThat(failure.failure().category()).isEqualTo(TrackerFailure.Category.RATE_LIMITED);
    assertThat(failure.failure().retryAfter())
        .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
  }

  private PollResult poll(SourceConfig config) {
    InstantSource clock = InstantSource.system();
    Source source =
        switch (config) {
          case SourceConfig.GitHub github -> new GitHubSource(github, clock, limits);
          case SourceConfig.Jira jira -> new JiraSource(jira, clock, limits);
          case SourceConfig.AzureDevOps azure -> new AzureDevOpsSource(azure, clock, limits);
          case SourceConfig.Redmine redmine -> new RedmineSource(redmine, clock, limits);
          case SourceConfig.Jsonl _ -> throw new IllegalArgumentException(config.key());
        };
    return source.poll(null, RequestPermission.GRANTED);
  }

  private SourceFailure refused(SourceConfig config) {
    return catchThrowableOfType(SourceFailure.class, () -> deliver(config));
  }

  private void deliver(SourceConfig config) {
    var analysis = Sample.analysis("answer", "s-1", "ledger:1");
    var _ =
        Deliveries.open(config, InstantSource.system(), limits)
            .deliver(ItemKey.parse("acme/web/12"), analysis, RequestPermission.GRANTED);
  }

  private SourceConfig config(CommentingTracker.Kind kind, String token) {
    var identity = new SourceConfig.Identity("acme", "web", SourceConfig.DEFAULT_INTERVAL);
    SourceRules usual = SourceRules.DEFAULT;
    var rules =
        new SourceRules(
            usual.fingerprintFields(),
            usual.closedStates(),
            usual.unassignedIsClosed(),
            usual.me(),
            usual.revisit(),
            new WriteBack.Comment(),
            usual.optIn());
    Credential credential = new Credential.InFile(file(token));
    URI url = tracker.url();
    return switch (kind) {
      case GITHUB -> new SourceConfig.GitHub(identity, rules, url, "org/web", credential);
      case JIRA -> new SourceConfig.Jira(identity, rules, url, "project = A", null, credential);
      case REDMINE -> new SourceConfig.Redmine(identity, rules, url, null, "", credential);
      case AZURE_DEVOPS ->
          new SourceConfig.AzureDevOps(
              identity,
              rules,
              URI.create(url + "/org/project"),
              "SELECT [System.Id] FROM WorkItems WHERE [System.Id] > 0",
              credential);
    };
  }

  private Path file(String token) {
    try {
      return Files.writeString(folder.resolve(token), token + "\n");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
