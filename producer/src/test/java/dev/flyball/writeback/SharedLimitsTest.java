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
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.Sources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.TrackerLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void aPauseThatAPollIsAskedForHoldsWriteBackOfItsCredentialOnly() {
    tracker.otherwise(request -> WAIT);
    assertThat(poll(config("one"))).isInstanceOf(PollResult.Failed.class);
    int sent = tracker.requests().size();

    assertPaused(refused(config("one")));
    assertThat(tracker.requests()).hasSize(sent);

    assertThat(refused(config("another"))).isNotNull();
    assertThat(tracker.requests()).hasSize(sent + 1);
  }

  @Test
  void aPauseThatWriteBackIsAskedForHoldsPollsOfItsCredentialOnly() {
    tracker.otherwise(request -> WAIT);
    assertThat(refused(config("one"))).isNotNull();
    assertThat(tracker.requests()).hasSize(1);

    assertThat(poll(config("one")))
        .isInstanceOfSatisfying(
            PollResult.Failed.class,
            failed ->
                assertThat(failed.failure().category())
                    .isEqualTo(TrackerFailure.Category.RATE_LIMITED));
    assertThat(tracker.requests()).hasSize(1);

    poll(config("another"));
    assertThat(tracker.requests()).hasSize(2);
  }

  private static void assertPaused(SourceFailure failure) {
    assertThat(failure.failure().category()).isEqualTo(TrackerFailure.Category.RATE_LIMITED);
    assertThat(failure.failure().retryAfter())
        .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
  }

  private PollResult poll(SourceConfig config) {
    return Sources.open(config, InstantSource.system(), limits)
        .poll(null, RequestPermission.GRANTED);
  }

  private SourceFailure refused(SourceConfig config) {
    return catchThrowableOfType(SourceFailure.class, () -> deliver(config));
  }

  private void deliver(SourceConfig config) {
    var analysis = Sample.analysis("answer", "s-1", "ledger:1");
    var _ =
        Delivery.open(config, InstantSource.system(), limits)
            .deliver(ItemKey.parse("acme/web/12"), analysis, RequestPermission.GRANTED);
  }

  private SourceConfig config(String token) {
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
    return new SourceConfig.GitHub(
        identity, rules, tracker.url(), "org/web", new Credential.InFile(file(token)));
  }

  private Path file(String token) {
    try {
      return Files.writeString(folder.resolve(token), token + "\n");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
