package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.NotificationKind;
import dev.flyball.ops.console.notify.rule.RetrySchedule;
import dev.flyball.ops.console.notify.rule.TargetRule;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TargetLoopTest {
  private static final RetrySchedule SHORT =
      new RetrySchedule(Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(200));

  private final Telemetry telemetry = new Telemetry();
  private final List<String> sent = new CopyOnWriteArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
  private @Nullable TargetLoop loop;

  @AfterEach
  void stop() {
    open.countDown();
    if (loop != null) {
      loop.stop();
    }
  }

  @Test
  void aTargetThatTakesNothingLosesWhatFindsNoRoomAndHoldsNothingUp() {
    TargetLoop blocked =
        loop(message -> {
          open.await();
          sent.add(message.subject());
        });
    for (int i = 0; i < 3 * TargetLoop.ROOM; i++) {
      offer(blocked, "a/b/" + i);
    }

    assertThat(ended.get()).isBetween(2 * TargetLoop.ROOM - 1, 2 * TargetLoop.ROOM);
    open.countDown();
    await().until(() -> sent.contains("a/b/" + (TargetLoop.ROOM - 1)));
    await().until(() -> ended.get() == 3 * TargetLoop.ROOM);
  }

  @Test
  void whatIsGivenUpOrBrokenLetsTheNextMessagePass() {
    TargetLoop picky =
        loop(message -> {
          switch (message.subject()) {
            case "down" -> throw new SendFailure("no answer", false, Duration.ZERO, null);
            case "rejected" -> throw new SendFailure("400", true, Duration.ZERO, null);
            case "fault" -> throw new IllegalStateException("a bug");
            default -> sent.add(message.subject());
          }
        });
    List.of("down", "rejected", "fault", "good").forEach(subject -> offer(picky, subject));

    await().untilAsserted(() -> assertThat(sent).containsExactly("good"));
    assertThat(ended).hasValue(4);
    assertThat(picky.trouble()).isEmpty();
    assertThat(telemetry.scrape())
        .contains("flyball_notifications_total{outcome=\"failed\",type=\"teams\"} 3.0");
  }

  @Test
  void aRejectedMessageIsForgottenByHealthAndTheNextOfItsKeyIsTried() {
    TargetLoop rejecting =
        loop(message -> {
          sent.add(message.subject());
          throw new SendFailure("400", true, Duration.ZERO, null);
        });
    offer(rejecting, "a/b/1");
    await().until(() -> ended.get() == 1);
    assertThat(rejecting.trouble()).hasValue("400");

    offer(rejecting, "a/b/1");
    await().untilAsserted(() -> assertThat(sent).containsExactly("a/b/1", "a/b/1"));
    await().until(() -> ended.get() == 2);

    ahead.set(TargetLoop.REPORTED);
    assertThat(rejecting.trouble()).isEmpty();
  }

  private void offer(TargetLoop to, String subject) {
    to.offer(
        new Notification(
            subject, NotificationKind.DEAD, subject, "a", "h", "", "", false, Instant.EPOCH),
        () -> {},
        ended::incrementAndGet);
  }

  private TargetLoop loop(MessageSender sender) {
    var target =
        new NotifyTarget(
            "t",
            new TargetRule(Set.of(NotificationKind.DEAD), null),
            new NotifyTarget.Teams(() -> HookAddress.parse("https://t.example/")),
            false);
    var limits = new NotifyConfig.Limits(10_000, Duration.ofHours(1), null);
    InstantSource clock = () -> InstantSource.system().instant().plus(ahead.get());
    loop = new TargetLoop(target, sender, limits, SHORT, telemetry, clock);
    Thread.ofVirtual().start(loop);
    return loop;
  }
}
