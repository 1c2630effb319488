package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.NotificationKind;
import dev.flyball.ops.console.notify.rule.TargetRule;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
  void aRedirectIsNotFollowedAndFailsForGood() {
    server.then(FaultReply.redirect(302, server.url() + "/other"));

    SendFailure failure = failure(hook(server.url() + "/secret-path", ""));

    assertThat(failure.permanent()).isTrue();
    assertThat(failure.getMessage()).contains("302").doesNotContain("secret-path");
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void aReceiverThatAsksForAPauseGetsIt() {
    server.then(FaultReply.status(429, Map.of("Retry-After", "40")));

    SendFailure failure = failure(hook(server.url() + "/", ""));

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

  @Test
  void aHostileTitleAddsNoHeaderAndNoRecipientToAMail() throws Exception {
    try (var inbox = new MailInbox()) {
      sender(mail("127.0.0.1", inbox.port()))
          .send(message("x\r\nBcc: y@evil.example\r\n.\r\nQUIT"));

      assertThat(inbox.mails())
          .singleElement()
          .satisfies(mail -> {
            assertThat(mail.lines()).noneMatch(line -> line.startsWith("Bcc:"));
            assertThat(mail).contains("To: ops@example.org", "Auto-Submitted: auto-generated");
          });
      assertThat(inbox.commands().stream().filter(line -> line.startsWith("RCPT"))).hasSize(1);
    }
  }

  @Test
  void mailLeavesThisMachineWithTlsOnly() {
    assertThat(starttls("mail.example", false)).isEqualTo("true");
    assertThat(starttls("mail.example", true)).isEqualTo("false");
    assertThat(starttls("127.0.0.1", false)).isEqualTo("false");
  }

  private static String starttls(String host, boolean insecure) {
    return new MailSender(mailChannel(host, 25), new MessageText(""), insecure)
        .properties()
        .getProperty("mail.smtp.starttls.required");
  }

  private SendFailure failure(NotifyTarget target) {
    return catchThrowableOfType(SendFailure.class, () -> sender(target).send(message("t")));
  }

  private MessageSender sender(NotifyTarget target) {
    return MessageSender.of(target, new MessageText(""), client, () -> NOW);
  }

  private static NotifyTarget hook(String url, String secret) {
    return target(
        new NotifyTarget.Hook(
            () -> HookAddress.parse(url),
            () -> Optional.of(secret).filter(text -> !text.isEmpty())));
  }

  private static NotifyTarget mail(String host, int port) {
    return target(mailChannel(host, port));
  }

  private static NotifyTarget.Mail mailChannel(String host, int port) {
    return new NotifyTarget.Mail(
        host, port, false, "flyball@example.org", List.of("ops@example.org"), "", Optional::empty);
  }

  private static NotifyTarget target(NotifyTarget.Channel channel) {
    return new NotifyTarget("t", new TargetRule(Set.of(), null), channel, false);
  }

  private static Notification message(String title) {
    return new Notification(
        "e-1", NotificationKind.DEAD, "a/b/1", "a", "Gave up", title, "why", true, NOW);
  }
}
