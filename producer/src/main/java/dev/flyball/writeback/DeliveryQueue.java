package dev.flyball.writeback;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.writeback.Delivery.Blame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Decides which analysis of a source is delivered next, and when. While a place does not answer,
 * all of its analyses wait, however long that lasts. An item that its place rejects is tried ten
 * times at growing intervals and then given up; the others are delivered meanwhile. Analyses of one
 * item keep their order. Times are those of one monotonic clock, in nanoseconds. One thread.
 */
final class DeliveryQueue {
  /** Analyses held at most; reading pauses above it. */
  static final int FULL = 500;

  /** How often an item is tried that its place rejects: over about five hours. */
  static final int MOST_TRIES = 10;

  /**
   * The time between two deliveries. Trackers limit writes more than reads; one comment a second is
   * well below their limits.
   */
  static final Duration DISTANCE = Duration.ofSeconds(1);

  private static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  static final Duration LONGEST_PLACE_WAIT = Duration.ofSeconds(320);
  private static final Duration LONGEST_ITEM_WAIT = Duration.ofHours(1);

  /** The pause after a rate limit that names no time; polls begin with the same. */
  private static final Duration LEAST_PAUSE = Duration.ofSeconds(60);

  private final List<Waiting> waiting = new ArrayList<>();
  private long notBefore;

  /** Failures of the place since it answered last, and the newest; null if there is none. */
  private int failures;

  private @Nullable String placeTrouble;

  /** A queue by which delivery may begin at this time. */
  DeliveryQueue(long now) {
    notBefore = now;
  }

  /**
   * One analysis and the record that carries it.
   *
   * @param command the operator's command to deliver it again; null for a new analysis
   */
  record Received(
      ItemKey item,
      Analysis analysis,
      ConsumerRecord<String, byte[]> record,
      Command.@Nullable Redeliver command) {
    TopicPartition partition() {
      return new TopicPartition(record.topic(), record.partition());
    }
  }

  private static final class Waiting {
    private final Received received;
    private long due;
    private int tries;

    /** Why it waits; null before its first failure. */
    private @Nullable String trouble;

    Waiting(Received received, long due) {
      this.received = received;
      this.due = due;
    }
  }

  void add(Received received, long now) {
    waiting.add(new Waiting(received, now));
  }

  /** Forgets what was read from these partitions: another process delivers it. */
  void forget(Collection<TopicPartition> partitions) {
    waiting.removeIf(one -> partitions.contains(one.received.partition()));
  }

  void clear() {
    waiting.clear();
  }

  boolean isFull() {
    return waiting.size() >= FULL;
  }

  /** The lowest undelivered offset of each partition: only what lies before may be committed. */
  Map<TopicPartition, Long> oldest() {
    var oldest = new HashMap<TopicPartition, Long>();
    waiting.forEach(
        one -> oldest.merge(one.received.partition(), one.received.record().offset(), Math::min));
    return oldest;
  }

  /**
   * The analysis to deliver now: the one that has been due longest, and of one item the first that
   * was read. Empty if none is due.
   */
  Optional<Received> next(long now) {
    if (now - notBefore < 0) {
      return Optional.empty();
    }
    var items = new HashSet<ItemKey>();
    return waiting.stream()
        .filter(one -> items.add(one.received.item()) && now - one.due >= 0)
        .min(Comparator.comparingLong(one -> one.due - now))
        .map(one -> one.received);
  }

  private void rest(Duration time, long now) {
    notBefore = now + time.toNanos();
  }

  /** The place answered: the analysis is there. */
  void delivered(Received received, long now) {
    failures = 0;
    placeTrouble = null;
    givenUp(received);
    rest(DISTANCE, now);
  }

  void givenUp(Received received) {
    waiting.removeIf(one -> one.received.equals(received));
  }

  /**
   * A delivery failed.
   *
   * @return how long this analysis waits; empty if it must be given up
   */
  Optional<Duration> failed(Received received, TrackerFailure failure, Blame blame, long now) {
    Waiting one =
        waiting.stream().filter(it -> it.received.equals(received)).findFirst().orElseThrow();
    return switch (blame) {
      case PLACE -> {
        Duration wait =
            Collections.max(List.of(wait(++failures, 2, LONGEST_PLACE_WAIT), pause(failure)));
        rest(wait, now);
        // Others go first then: a place that fails for one analysis alone must not hold them back.
        one.due = now + wait.toNanos();
        placeTrouble = trouble(received, wait, failure);
        yield Optional.of(wait);
      }
      case ITEM -> {
        rest(DISTANCE, now);
        if (++one.tries >= MOST_TRIES) {
          yield Optional.empty();
        }
        Duration wait = wait(one.tries, 4, LONGEST_ITEM_WAIT);
        one.due = now + wait.toNanos();
        one.trouble = trouble(received, wait, failure);
        yield Optional.of(wait);
      }
      case GONE -> {
        rest(DISTANCE, now);
        yield Optional.empty();
      }
    };
  }

  private static String trouble(Received received, Duration wait, TrackerFailure failure) {
    return "write-back of "
        + received.item()
        + " waits "
        + wait.toSeconds()
        + "s: "
        + failure.reason();
  }

  /** What keeps analyses from being delivered, one line; empty if nothing does. */
  Optional<String> trouble() {
    List<String> failing =
        placeTrouble == null
            ? waiting.stream().flatMap(one -> Stream.ofNullable(one.trouble)).toList()
            : Collections.nCopies(waiting.size(), placeTrouble);
    int others = failing.size() - 1;
    return failing.stream()
        .findFirst()
        .map(line -> line + (others > 0 ? "; " + others + " more wait" : ""));
  }

  private static Duration pause(TrackerFailure failure) {
    boolean silent =
        failure.category() == Category.RATE_LIMITED && !failure.retryAfter().isPositive();
    return silent ? LEAST_PAUSE : failure.retryAfter();
  }

  /** The wait after so many failures: 5 s, so many times longer with each, up to the longest. */
  private static Duration wait(int failures, int times, Duration longest) {
    Duration wait = FIRST_WAIT;
    for (int i = 1; i < failures && wait.compareTo(longest) < 0; i++) {
      wait = wait.multipliedBy(times);
    }
    return Collections.min(List.of(wait, longest));
  }
}
