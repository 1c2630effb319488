package dev.flyball.writeback;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.WriteBack;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName(
    "Write-back by webhook: posted with a key by which a receiver recognizes a repeat, bounded,"
        + " never dropped")
class WebhookDeliveryTest {
  private static final InstantSource NOW =
      InstantSource.fixed(Instant.ofEpochSecond(1_614_265_330));

  @AutoClose private final FaultServer server = FaultServer.http();
  @TempDir Path folder;

  @Test
  void anAnalysisIsPostedWithItsSessionAsKeyAndTheTokenAsBearer() throws IOException {
    server.then(FaultReply.status(204, Map.of()));
    Path token = Files.writeString(folder.resolve("token"), "s3cret\n");

    assertThat(deliver(new Credential.InFile(token))).isEqualTo("posted");

    var request = server.requests().getFirst();
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.header("Idempotency-Key")).contains("s-1");
    assertThat(request.header("Authorization")).contains("Bearer s3cret");
    assertThat(request.header("webhook-signature")).as("without a secret").isEmpty();
    assertThat(request.body()).contains("\"item\":\"acme/web/12\"", "\"text\":\"answer\"");
  }

  @ParameterizedTest
  @CsvSource({"404, ITEM", "422, ITEM", "401, PLACE", "429, PLACE", "500, PLACE", "302, PLACE"})
  void onlyWhatNoRepeatCanCureCountsAgainstTheItem(int status, Delivery.Blame blame) {
    server.then(FaultReply.status(status, Map.of()));

    assertThat(blame(refused(Duration.ofSeconds(30)))).isEqualTo(blame);
  }

  @Test
  void anAnswerThatDripsIsCutOffAndTriedAgain() {
    server.otherwise(request -> new FaultReply.Dripping());

    TrackerFailure failure = refused(Duration.ofMillis(400));

    assertThat(failure.category()).isEqualTo(Category.UNREACHABLE);
    assertThat(blame(failure)).isEqualTo(Delivery.Blame.PLACE);
  }

  @Test
  void aRequestIsSignedAsStandardWebhooksDefines() throws IOException {
    server.then(FaultReply.status(204, Map.of()));
    Path secret =
        Files.writeString(folder.resolve("secret"), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");

    deliver(hook(new Credential.None(), new Credential.InFile(secret)), Map.of());

    var request = server.requests().getFirst();
    assertThat(request.header("webhook-id")).contains("s-1");
    assertThat(request.header("webhook-timestamp")).contains("1614265330");
    assertThat(request.header("webhook-signature"))
        .hasValueSatisfying(value -> assertThat(value).startsWith("v1,").hasSize(47));
  }

  @Test
  void aSecretThatIsNoneIsNamedWithoutShowingIt() throws IOException {
    Path secret = Files.writeString(folder.resolve("secret"), "hunter2");

    TrackerFailure failure = refused(hook(new Credential.None(), new Credential.InFile(secret)));

    assertThat(failure.category()).isEqualTo(Category.AUTH);
    assertThat(failure.reason()).doesNotContain("hunter2");
    assertThat(server.requests()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "429, 120, 120, RATE_LIMITED",
    "503, 120, 120, RATE_LIMITED",
    "503, , 0, UNREACHABLE"
  })
  void thePauseThatAReceiverAsksForIsRead(
      int status, @Nullable String retryAfter, int seconds, Category category) {
    server.then(
        FaultReply.status(
            status, retryAfter == null ? Map.of() : Map.of("Retry-After", retryAfter)));

    TrackerFailure failure = refused(Duration.ofSeconds(30));

    assertThat(failure.category()).isEqualTo(category);
    assertThat(failure.retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void aRedirectIsNotFollowedAndNamesTheKeyToChange() {
    server.then(FaultReply.status(308, Map.of("Location", "https://elsewhere.example/secret")));

    assertThat(refused(Duration.ofSeconds(30)).reason())
        .contains("308", "webhook-url")
        .doesNotContain("elsewhere");
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void theProxyOfTheEnvironmentIsUsed() {
    server.then(FaultReply.status(204, Map.of()));
    var hook =
        new WriteBack.Webhook(
            URI.create("http://hooks.invalid/x"), new Credential.None(), new Credential.None());

    assertThat(deliver(hook, Map.of("HTTP_PROXY", server.url().toString()))).isEqualTo("posted");

    assertThat(server.requests()).hasSize(1);
  }

  private TrackerFailure refused(Duration limit) {
    return refused(hook(new Credential.None(), new Credential.None()), limit);
  }

  private TrackerFailure refused(WriteBack.Webhook hook) {
    return refused(hook, Duration.ofSeconds(30));
  }

  private TrackerFailure refused(WriteBack.Webhook hook, Duration limit) {
    return failureOf(() -> deliver(hook, limit, Map.of()));
  }

  private Delivery.Blame blame(TrackerFailure failure) {
    return new WebhookDelivery(hook(new Credential.None(), new Credential.None()), NOW)
        .blame(failure, RequestPermission.GRANTED);
  }

  private WriteBack.Webhook hook(Credential token, Credential secret) {
    return new WriteBack.Webhook(server.url(), token, secret);
  }

  private String deliver(Credential token) {
    return deliver(hook(token, new Credential.None()), Map.of());
  }

  private static String deliver(WriteBack.Webhook hook, Map<String, String> environment) {
    return deliver(hook, Duration.ofSeconds(30), environment);
  }

  private static String deliver(
      WriteBack.Webhook hook, Duration limit, Map<String, String> environment) {
    return new WebhookDelivery(hook, NOW, limit, environment)
        .deliver(
            ItemKey.parse("acme/web/12"),
            Sample.analysis("answer", "s-1", "ledger:1"),
            RequestPermission.GRANTED);
  }
}
