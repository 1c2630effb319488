package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.console.notify.MessageSender.Failure;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.Notification.Kind;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

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
          new NotifyTarget(
              "t",
              NotifyTarget.Type.TEAMS,
              Set.of(Kind.DEAD, Kind.ANALYSIS),
              null,
              () -> HookAddress.parse("https://t.example/"),
              Optional::empty),
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
    spend(Kind.DEAD);
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

  private void spend(Kind kind) throws Exception {
    for (int i = 0; i < TargetDelivery.PER_HOUR; i++) {
      offer(0, kind, "spent/" + i);
    }
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
}
