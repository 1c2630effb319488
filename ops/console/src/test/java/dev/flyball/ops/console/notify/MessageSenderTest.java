package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageSenderTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");
  private static final Notification MESSAGE =
      new Notification("e-1", Kind.DEAD, "c", "a/b/1", "a", "Gave up", "t", "why", NOW);
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  private final FaultServer server = FaultServer.http();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void aWebhookIsSignedOverItsBody() throws Exception {
    server.then(FaultReply.status(204, Map.of()));

    assertThat(send(server.url() + "/hook", SECRET)).isEmpty();

    var request = server.requests().getFirst();
    assertThat(request.header("webhook-signature"))
        .isEqualTo(
            Optional.ofNullable(
                WebhookSignature.headers(
                        Optional.of(SECRET),
                        "e-1",
                        NOW,
                        request.body().getBytes(StandardCharsets.UTF_8))
                    .get("webhook-signature")));
    assertThat(request.header("webhook-id")).contains("e-1");
  }

  @Test
  void aTargetOfATenantSeesNothingOfAnother() {
    var target =
        new NotifyTarget(
            "t",
            NotifyTarget.Type.WEBHOOK,
            Set.of(Kind.DEAD, Kind.TROUBLE),
            "a",
            () -> HookAddress.parse("https://h.example/"),
            Optional::empty);
    var other = new Notification("e", Kind.DEAD, "h", "x/b/1", "x", "h", "", "", NOW);
    var hung = new Notification("e", Kind.HUNG, "h", "a/b/1", "a", "h", "", "", NOW);
    var alarm = Notification.ofSystem("e", Kind.TROUBLE, "c", "h", "x/b/1", NOW);

    assertThat(target.seen(MESSAGE)).hasValue(MESSAGE);
    assertThat(target.seen(other)).isEmpty();
    assertThat(target.seen(hung)).isEmpty();
    assertThat(target.seen(alarm).orElseThrow().toString()).contains("h").doesNotContain("x/b/1");
  }

  @Test
  void aRedirectIsNotFollowedAndFailsForGood() throws Exception {
    server.then(FaultReply.redirect(302, server.url() + "/other"));

    Failure failure = send(server.url() + "/secret-path", "").orElseThrow();

    assertThat(failure.permanent()).isTrue();
    assertThat(failure.reason()).contains("302").doesNotContain("secret-path");
    assertThat(server.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 503})
  void aReceiverThatIsBusyIsTriedAgain(int status) throws Exception {
    server.then(FaultReply.status(status, Map.of()));

    assertThat(send(server.url() + "/", "").orElseThrow().permanent()).isFalse();
  }

  @Test
  void plainHttpStaysOnThisMachineAndNoSecretIsShown() throws Exception {
    assertThat(send("http://203.0.113.7/secret", "").orElseThrow().reason())
        .contains("insecure: true")
        .doesNotContain("secret");
    assertThat(send(server.url() + "/", "hunter2").orElseThrow().reason())
        .contains("whsec_")
        .doesNotContain("hunter2");
    assertThat(server.requests()).isEmpty();
  }

  private Optional<Failure> send(String url, String secret) throws InterruptedException {
    var target =
        new NotifyTarget(
            "t",
            NotifyTarget.Type.WEBHOOK,
            Set.of(),
            null,
            () -> HookAddress.parse(url).checked(false),
            () -> Optional.of(secret).filter(text -> !text.isEmpty()));
    return new MessageSender(client, new MessageText("")).send(target, MESSAGE, NOW);
  }
}
