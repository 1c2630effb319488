package dev.flyball.ops.console.notify;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TargetQueueTest {
  private static final Instant NOW = Instant.parse("2026-11-25T08:00:00Z");
  private static final int SOON = 3_599;
  private static final int LATER = 3_600;

  private final Telemetry telemetry = new Telemetry();

  /** The subjects, or for what concerns the whole system the headlines, of each try. */
  private final List<String> tried = new ArrayList<>();

  private Future<Optional<Failure>> answer = CompletableFuture.completedFuture(Optional.empty());
  private final TargetQueue queue =
      new TargetQueue(
          new NotifyTarget(
              "t",
              NotifyTarget.Type.TEAMS,
              Set.of(Kind.DEAD, Kind.ANALYSIS, Kind.TROUBLE),
              null,
              () -> HookAddress.parse("https://t.example/"),
              Optional::empty),
          message -> {
            tried.add(
                message.subject().equals("-")
                    ? message.headline() + ": " + message.detail()
                    : message.subject());
            return answer;
          },
          telemetry);

  @Test
  void theSameIsSentOnceWithinTheHour() {
    offer(0, Kind.DEAD, "a/b/1");
    offer(SOON, Kind.DEAD, "a/b/1");
    assertThat(tried).hasSize(1);

    offer(LATER, Kind.DEAD, "a/b/1");
    assertThat(tried).hasSize(2);
  }

  @Test
  void whatIsAboveTheQuotaIsSummedUpOnceAMessageMayBeSent() {
    spend(Kind.DEAD);
    List.of("x", "y", "z").forEach(each -> offer(0, Kind.DEAD, each));
    offer(0, Kind.ANALYSIS, "x");
    offer(-9_000, Kind.DEAD, "a clock that goes back gives no messages");
    tick(SOON);
    assertThat(tried).hasSize(TargetQueue.PER_HOUR);

    tick(LATER);
    assertThat(tried.getLast())
        .isEqualTo("5 more notifications were held back: 4 dead, 1 analysis");
    offer(LATER, Kind.DEAD, "x");
    assertThat(tried.getLast()).isEqualTo("x");
    counted("dropped", 5);
  }

  @Test
  void alarmsHaveAQuotaApart() {
    spend(Kind.ANALYSIS);
    spend(Kind.TROUBLE);
    assertThat(tried).hasSize(2 * TargetQueue.PER_HOUR);

    offer(0, Kind.TROUBLE, "more");
    tick(SOON);
    assertThat(tried).hasSize(2 * TargetQueue.PER_HOUR);
    tick(LATER);
    assertThat(tried.getLast()).isEqualTo("1 more notifications were held back: 1 trouble");
  }

  @Test
  void aFailedMessageIsTriedAfterGrowingWaitsForAnHourAndThenTheNextFollows() {
    answer = failed("no answer", false);
    offer(0, Kind.DEAD, "a/b/1");
    tick(0);
    assertThat(queue.settled()).isTrue();
    tick(1);
    assertThat(tried).hasSize(1);
    tick(2);
    tick(7);
    assertThat(tried).hasSize(2);
    tick(8);
    assertThat(tried).hasSize(3);

    offer(1_000, Kind.DEAD, "a/b/2");
    for (int second = 1_001; !tried.contains("a/b/2"); second++) {
      tick(second);
      assertThat(second).isLessThan(LATER);
    }
    tick(LATER);
    assertThat(tried.size()).isBetween(10, 20);
    counted("failed", 1);
    assertThat(queue.trouble(at(LATER))).hasValue("no answer");

    answer = CompletableFuture.completedFuture(Optional.empty());
    tick(LATER + 600);
    assertThat(queue.trouble(at(LATER))).isEmpty();
    counted("sent", 1);
  }

  @Test
  void aRejectedMessageIsForgottenByHealthAndTheNextOfItsKeyIsTried() {
    answer = failed("400", true);
    offer(0, Kind.DEAD, "a/b/1");
    tick(0);
    assertThat(queue.trouble(at(SOON))).hasValue("400");
    assertThat(queue.trouble(at(LATER))).isEmpty();

    answer = CompletableFuture.failedFuture(new IllegalStateException("a bug"));
    offer(1, Kind.DEAD, "a/b/1");
    tick(1);
    assertThat(tried).containsExactly("a/b/1", "a/b/1");
    assertThat(queue.settled()).isTrue();
    assertThat(queue.trouble(at(1)).orElseThrow()).contains("a bug");
    counted("failed", 2);
  }

  @Test
  void onlyOneMessageIsUnderWay() {
    var blocked = new CompletableFuture<Optional<Failure>>();
    answer = blocked;
    offer(0, Kind.DEAD, "a/b/1");
    offer(0, Kind.DEAD, "a/b/2");
    tick(0);
    assertThat(tried).containsExactly("a/b/1");
    assertThat(queue.settled()).isFalse();

    blocked.complete(Optional.empty());
    tick(0);
    tick(0);
    assertThat(tried).containsExactly("a/b/1", "a/b/2");
    assertThat(queue.settled()).isTrue();
  }

  private static Future<Optional<Failure>> failed(String reason, boolean permanent) {
    return CompletableFuture.completedFuture(Optional.of(new Failure(reason, permanent)));
  }

  private void spend(Kind kind) {
    for (int i = 0; i < TargetQueue.PER_HOUR; i++) {
      offer(0, kind, "spent/" + i);
    }
  }

  private void offer(int second, Kind kind, String subject) {
    queue.offer(
        new Notification("id", kind, "c", subject, "a", "Given up", "", "", NOW), at(second));
    tick(second);
  }

  /** Twice, so that an answer that is there is taken note of. */
  private void tick(int second) {
    queue.tick(at(second));
    queue.tick(at(second));
  }

  private static Instant at(int second) {
    return NOW.plus(Duration.ofSeconds(second));
  }

  private void counted(String outcome, int number) {
    assertThat(telemetry.scrape())
        .contains("total{outcome=\"" + outcome + "\",type=\"teams\"} " + number + ".0\n");
  }
}
