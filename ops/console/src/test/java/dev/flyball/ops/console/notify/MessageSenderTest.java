package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageSenderTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");
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

    sender(hook(server.url() + "/hook", SECRET)).send(message("title"));

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
    var on = Set.of(Notification.Kind.DEAD, Notification.Kind.TROUBLE);
    var target =
        new NotifyTarget(
            "t",
            NotifyTarget.Type.WEBHOOK,
            on,
            "a",
            () -> HookAddress.parse("https://h.example/"),
            Optional::empty,
            false);
    var other = new Notification("e", Notification.Kind.DEAD, "h", "x/b/1", "x", "h", "", "", NOW);
    var hung = new Notification("e", Notification.Kind.HUNG, "h", "a/b/1", "a", "h", "", "", NOW);
    var alarm = Notification.ofSystem("e", Notification.Kind.TROUBLE, "c", "h", "x/b/1", NOW);

    assertThat(target.seen(message("t"))).isPresent();
    assertThat(target.seen(other)).isEmpty();
    assertThat(target.seen(hung)).isEmpty();
    assertThat(target.seen(alarm).orElseThrow().toString()).contains("h").doesNotContain("x/b/1");
  }

  @Test
  void aRedirectIsNotFollowedAndFailsForGood() {
    server.then(FaultReply.redirect(302, server.url() + "/other"));

    MessageSender.Failure failure = failure(hook(server.url() + "/secret-path", ""));

    assertThat(failure.permanent()).isTrue();
    assertThat(failure.getMessage()).contains("302").doesNotContain("secret-path");
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void aReceiverThatAsksForAPauseGetsIt() {
    server.then(FaultReply.status(429, Map.of("Retry-After", "40")));

    MessageSender.Failure failure = failure(hook(server.url() + "/", ""));

    assertThat(failure.permanent()).isFalse();
    assertThat(failure.pause()).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void plainHttpStaysOnThisMachine() {
    assertThat(failure(hook("http://203.0.113.7/secret", "")).getMessage())
        .contains("insecure: true")
        .doesNotContain("secret");
    assertThat(failure(hook(server.url() + "/", "hunter2")).getMessage())
        .contains("whsec_")
        .doesNotContain("hunter2");
    assertThat(server.requests()).isEmpty();
  }

  private MessageSender.Failure failure(NotifyTarget target) {
    return catchThrowableOfType(
        MessageSender.Failure.class, () -> sender(target).send(message("t")));
  }

  private MessageSender sender(NotifyTarget target) {
    return new MessageSender.Http(target, new MessageText(""), client, () -> NOW);
  }

  private static NotifyTarget hook(String url, String secret) {
    return new NotifyTarget(
        "t",
        NotifyTarget.Type.WEBHOOK,
        Set.of(),
        null,
        () -> HookAddress.parse(url),
        () -> Optional.of(secret).filter(text -> !text.isEmpty()),
        false);
  }

  private static Notification message(String title) {
    return new Notification(
        "e-1", Notification.Kind.DEAD, "c", "a/b/1", "a", "Gave up", title, "why", NOW);
  }
}
