package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import dev.flyball.ops.console.notify.rule.TargetLimit;
import dev.flyball.ops.telemetry.Telemetry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TargetLoopTest {
  private static final TargetLoop.Retries SHORT =
      new TargetLoop.Retries(Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(200));

  private final Telemetry telemetry = new Telemetry();
  private final List<String> sent = new CopyOnWriteArrayList<>();
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
  void aTargetThatTakesNothingHoldsNothingUpAndSaysLaterHowManyWereHeldBack() {
    TargetLoop blocked =
        loop(message -> {
          open.await();
          sent.add(message.headline());
        });
    for (int i = 0; i <= TargetLimit.PER_HOUR; i++) {
      offer(blocked, "a/b/" + i);
    }

    assertThat(blocked.settled()).isFalse();
    ahead.set(TargetLimit.REPEAT);
    open.countDown();
    await().until(() -> !sent.isEmpty() && sent.getLast().contains("held back"));
    await().until(blocked::settled);
    assertThat(sent).hasSize(TargetLimit.PER_HOUR + 1);
  }

  @Test
  void waitsGrowAndATargetThatAsksForALongerOneGetsIt() {
    var retries = TargetLoop.Retries.DEFAULT;

    assertThat(retries.wait(1, Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
    assertThat(retries.wait(2, Duration.ZERO)).isEqualTo(Duration.ofSeconds(6));
    assertThat(retries.wait(99, Duration.ZERO)).isEqualTo(Duration.ofMinutes(5));
    assertThat(retries.wait(1, Duration.ofSeconds(40))).isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void whatIsGivenUpOrBrokenLetsTheNextMessagePass() {
    TargetLoop picky =
        loop(message -> {
          switch (message.subject()) {
            case "down" -> throw new MessageSender.Failure("no answer", false, Duration.ZERO, null);
            case "rejected" -> throw new MessageSender.Failure("400", true, Duration.ZERO, null);
            case "fault" -> throw new IllegalStateException("a bug");
            default -> sent.add(message.subject());
          }
        });
    List.of("down", "rejected", "fault", "good").forEach(subject -> offer(picky, subject));

    await().untilAsserted(() -> assertThat(sent).containsExactly("good"));
    await().until(picky::settled);
    assertThat(picky.trouble()).isEmpty();
    assertThat(telemetry.scrape())
        .contains("flyball_notifications_total{outcome=\"failed\",type=\"teams\"} 3.0");
  }

  @Test
  void aRejectedMessageIsForgottenByHealthAndTheNextOfItsKeyIsTried() {
    TargetLoop rejecting =
        loop(message -> {
          sent.add(message.subject());
          throw new MessageSender.Failure("400", true, Duration.ZERO, null);
        });
    offer(rejecting, "a/b/1");
    await().until(rejecting::settled);
    assertThat(rejecting.trouble()).hasValue("400");

    offer(rejecting, "a/b/1");
    await().untilAsserted(() -> assertThat(sent).containsExactly("a/b/1", "a/b/1"));
    await().until(rejecting::settled);

    ahead.set(TargetLoop.REPORTED);
    assertThat(rejecting.trouble()).isEmpty();
  }

  private static void offer(TargetLoop to, String subject) {
    to.offer(
        new Notification(
            subject, Notification.Kind.TROUBLE, "h", subject, "a", "h", "", "", Instant.EPOCH));
  }

  private TargetLoop loop(MessageSender sender) {
    var target =
        new NotifyTarget(
            "t",
            NotifyTarget.Type.TEAMS,
            Set.of(Notification.Kind.TROUBLE),
            null,
            () -> HookAddress.parse("https://t.example/"),
            Optional::empty,
            false);
    InstantSource clock = () -> InstantSource.system().instant().plus(ahead.get());
    loop = new TargetLoop(target, sender, SHORT, telemetry, clock);
    Thread.ofVirtual().start(loop);
    return loop;
  }
}
