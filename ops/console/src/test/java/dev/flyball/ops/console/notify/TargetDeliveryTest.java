package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.Notifier.TargetDelivery;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.MessageText;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which messages a target gets and when, and one message as its receiver gets it. */
class TargetDeliveryTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");
  private static final int SOON = 3_599;
  private static final int LATER = 3_600;

  private final Telemetry telemetry = new Telemetry();

  /** The subjects, or for what concerns the whole system the headlines, of each try. */
  private final List<String> tried = new ArrayList<>();

  /** The second of each try. */
  private final List<Long> times = new ArrayList<>();

  private Instant clock = NOW;
  private @Nullable Failure answer;
  private int tries = Integer.MAX_VALUE;

  private final TargetDelivery delivery =
      new TargetDelivery(
          target(NotifyTarget.Type.TEAMS, Set.of(Kind.DEAD, Kind.ANALYSIS), null),
          this::send,
          this::pause,
          () -> clock,
          telemetry);

  @Test
  void theSameIsSentOnceWithinTheHour() throws Exception {
    offer(0, Kind.DEAD, "a/b/1");
    offer(SOON, Kind.DEAD, "a/b/1");
    assertThat(tried).hasSize(1);

    offer(LATER, Kind.DEAD, "a/b/1");
    assertThat(tried).hasSize(2);
  }

  @Test
  void whatIsAboveTheQuotaIsSummedUpOnceAMessageMayBeSent() throws Exception {
    for (int i = 0; i < TargetDelivery.PER_HOUR; i++) {
      offer(0, Kind.DEAD, "spent/" + i);
    }
    for (String each : List.of("x", "y", "z")) {
      offer(0, Kind.DEAD, each);
    }
    offer(0, Kind.ANALYSIS, "x");
    offer(-9_000, Kind.DEAD, "a clock that goes back gives no messages");
    summarize(SOON);
    assertThat(tried).hasSize(TargetDelivery.PER_HOUR);

    summarize(LATER);
    assertThat(tried.getLast())
        .isEqualTo("5 more notifications were held back: 4 dead, 1 analysis");
    offer(LATER, Kind.DEAD, "x");
    assertThat(tried.getLast()).isEqualTo("x");
    counted("dropped", 5);
  }

  @Test
  void aFailedMessageIsTriedAfterGrowingWaitsForAnHourAndThenTheNextFollows() throws Exception {
    answer = new Failure("no answer", false);
    offer(0, Kind.DEAD, "a/b/1");
    assertThat(times).startsWith(0L, 2L, 8L, 26L, 80L, 242L, 542L);
    assertThat(times.getLast()).isBetween((long) LATER, LATER + 300L);
    counted("failed", 1);
    assertThat(delivery.trouble()).hasValue("no answer");

    tries = 1;
    assertThatThrownBy(() -> offer(5_000, Kind.DEAD, "a/b/2"))
        .as("it ends meanwhile")
        .isInstanceOf(InterruptedException.class);
    answer = null;
    offer(5_300, Kind.DEAD, "a/b/3");
    assertThat(tried.getLast()).isEqualTo("a/b/3");
    assertThat(delivery.trouble()).isEmpty();
    counted("sent", 1);
  }

  @Test
  void aRejectedMessageIsForgottenByHealthAndTheNextOfItsKeyIsTried() throws Exception {
    answer = new Failure("400", true);
    offer(0, Kind.DEAD, "a/b/1");
    clock = at(SOON);
    assertThat(delivery.trouble()).hasValue("400");
    clock = at(LATER);
    assertThat(delivery.trouble()).isEmpty();

    offer(1, Kind.DEAD, "a/b/1");
    assertThat(tried).containsExactly("a/b/1", "a/b/1");
    counted("failed", 2);
  }

  private void pause(Duration pause) throws InterruptedException {
    clock = clock.plus(pause);
    if (--tries <= 0) {
      throw new InterruptedException();
    }
  }

  private Optional<Failure> send(Notification message) {
    times.add(Duration.between(NOW, clock).toSeconds());
    tried.add(
        message.subject().equals("-")
            ? message.headline() + ": " + message.detail()
            : message.subject());
    return Optional.ofNullable(answer);
  }

  private void offer(int second, Kind kind, String subject) throws Exception {
    clock = at(second);
    delivery.send(
        List.of(new Notification("id", kind, "c", subject, "a", "Given up", "", "", NOW)));
  }

  private void summarize(int second) throws Exception {
    clock = at(second);
    delivery.summarize();
  }

  private static Instant at(int second) {
    return NOW.plus(Duration.ofSeconds(second));
  }

  private void counted(String outcome, int number) {
    assertThat(telemetry.scrape())
        .contains("total{outcome=\"" + outcome + "\",type=\"teams\"} " + number + ".0\n");
  }

  private static final Notification MESSAGE =
      new Notification("e-1", Kind.DEAD, "c", "a/b/1", "a", "Gave up", "t", "why", NOW);
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

  @AutoClose private final FaultServer server = FaultServer.http();
  @AutoClose private final HttpClient client = HttpClient.newHttpClient();

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
    NotifyTarget target = target(NotifyTarget.Type.WEBHOOK, Set.of(Kind.DEAD, Kind.TROUBLE), "a");
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

  private static NotifyTarget target(
      NotifyTarget.Type type, Set<Kind> on, @Nullable String tenant) {
    return new NotifyTarget(
        "t", type, on, tenant, () -> HookAddress.parse("https://t.example/"), Optional::empty);
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
