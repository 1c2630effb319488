package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.writeback.Delivery.Blame;
import dev.flyball.writeback.DeliveryQueue.Received;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Write-back: a stuck item waits alone, a place that does not answer is waited for")
class DeliveryQueueTest {
  private static final TrackerFailure DOWN = TrackerFailure.of(Category.UNREACHABLE, "down");
  private static final TrackerFailure LOCKED = TrackerFailure.of(Category.AUTH, "locked");

  private long now;
  private long offset;
  private final DeliveryQueue queue = new DeliveryQueue(0);

  @Test
  void theFirstIsDeliveredNowAndTheNextASecondLater() {
    Received first = read("1");
    Received second = read("2");

    assertThat(next()).isEqualTo(first);
    queue.delivered(first, now);
    assertThat(nextAfter(Duration.ofMillis(999))).isNull();
    assertThat(nextAfter(Duration.ofMillis(1))).isEqualTo(second);
  }

  @Test
  void anItemThatItsPlaceRejectsHoldsUpNoOther() {
    Received stuck = read("1");
    Received other = read("2");

    assertThat(queue.failed(stuck, LOCKED, Blame.ITEM, now)).contains(Duration.ofSeconds(5));
    assertThat(nextAfter(Duration.ofSeconds(1))).isEqualTo(other);
    queue.delivered(other, now);
    assertThat(queue.trouble()).contains("write-back of acme/web/1 waits 5s: locked");
    assertThat(nextAfter(Duration.ofSeconds(4))).isEqualTo(stuck);
  }

  @Test
  void analysesOfOneItemKeepTheirOrder() {
    Received first = read("1");
    Received second = read("1");

    queue.failed(first, LOCKED, Blame.ITEM, now);
    assertThat(nextAfter(Duration.ofSeconds(4))).as("not the second before the first").isNull();
    assertThat(nextAfter(Duration.ofSeconds(1))).isEqualTo(first);
    queue.delivered(first, now);
    assertThat(nextAfter(Duration.ofSeconds(1))).isEqualTo(second);
  }

  @Test
  void anItemThatItsPlaceRejectsIsGivenUpAfterTenTriesInHours() {
    Received stuck = read("1");
    int tries = 0;
    for (Optional<Duration> wait = Optional.of(Duration.ZERO); wait.isPresent(); tries++) {
      assertThat(nextAfter(wait.get())).isEqualTo(stuck);
      wait = queue.failed(stuck, LOCKED, Blame.ITEM, now);
    }

    assertThat(tries).isEqualTo(DeliveryQueue.MOST_TRIES);
    assertThat(Duration.ofNanos(now)).isBetween(Duration.ofHours(4), Duration.ofHours(5));
    assertThat(queue.oldest().isEmpty()).as("its dead letter is written first").isFalse();
  }

  @Test
  void anItemThatNoLongerExistsIsGivenUpNow() {
    assertThat(queue.failed(read("1"), LOCKED, Blame.GONE, now)).isEmpty();
  }

  @Test
  void nothingIsGivenUpWhileThePlaceDoesNotAnswer() {
    read("1");
    read("2");
    long[] waits = {5, 10, 20, 40, 80, 160, 320, 320};
    for (int i = 0; i < 200; i++) {
      long wait = waits[Math.min(i, waits.length - 1)];
      Received tried = queue.next(now).orElseThrow();
      assertThat(queue.failed(tried, DOWN, Blame.PLACE, now)).contains(Duration.ofSeconds(wait));
      assertThat(nextAfter(Duration.ofSeconds(wait - 1))).as("everything waits").isNull();
      now += Duration.ofSeconds(1).toNanos();
    }

    assertThat(queue.trouble())
        .hasValueSatisfying(line -> assertThat(line).endsWith("waits 320s: down; 1 more wait"));
    Received delivered = queue.next(now).orElseThrow();
    queue.delivered(delivered, now);
    assertThat(nextAfter(Duration.ofSeconds(1))).as("the pace is the old one").isNotNull();
  }

  @Test
  void aPlaceThatNamesAPauseIsObeyedAndElseGetsAMinute() {
    var hour = new TrackerFailure(Category.RATE_LIMITED, "too many", Duration.ofHours(1));
    Received one = read("1");

    assertThat(queue.failed(one, hour, Blame.PLACE, now)).contains(Duration.ofHours(1));
    assertThat(nextAfter(Duration.ofHours(1).minusNanos(1))).isNull();
    assertThat(nextAfter(Duration.ofNanos(1))).isEqualTo(one);
    assertThat(
            queue.failed(
                one, TrackerFailure.of(Category.RATE_LIMITED, "too many"), Blame.PLACE, now))
        .contains(Duration.ofSeconds(60));
  }

  @Test
  void onlyWhatLiesBeforeTheOldestMayBeCommitted() {
    Received first = read("1");
    Received second = read("2");
    var partition = new TopicPartition("analyses", 0);

    queue.delivered(second, now);
    assertThat(queue.oldest()).containsEntry(partition, first.record().offset());
    queue.forget(List.of(partition));
    assertThat(queue.oldest()).isEmpty();
    assertThat(nextAfter(Duration.ofSeconds(1))).isNull();
  }

  @Test
  void itIsFullAtItsLimit() {
    for (int i = 0; i < DeliveryQueue.FULL - 1; i++) {
      read("i" + i);
    }
    assertThat(queue.isFull()).isFalse();
    read("last");
    assertThat(queue.isFull()).isTrue();
  }

  private @Nullable Received next() {
    return queue.next(now).orElse(null);
  }

  private @Nullable Received nextAfter(Duration time) {
    now += time.toNanos();
    return next();
  }

  private Received read(String id) {
    ItemKey item = ItemKey.parse("acme/web/" + id);
    var received =
        new Received(
            item,
            Sample.analysis("answer", "s-" + offset, "ledger:" + offset),
            new ConsumerRecord<>("analyses", 0, offset++, item.toString(), new byte[0]),
            null);
    queue.add(received, now);
    return received;
  }
}
