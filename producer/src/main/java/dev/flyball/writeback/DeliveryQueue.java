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
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Decides which analysis of a source is delivered next, and when. Where a place does not answer, or
 * rejects one item after another, all of its analyses wait. Where it rejects one item, the others
 * are delivered meanwhile; that item is tried again at growing intervals and given up in the end.
 * Only deliveries prove that a place accepts writes: without one between two failures of an item,
 * the second does not count against it. Analyses of one item keep their order. Times are those of
 * one monotonic clock, in nanoseconds. One thread.
 */
final class DeliveryQueue {
  /** Analyses of items that are not stuck, held at most; reading pauses above it. */
  static final int FULL = 100;

  /** Analyses of stuck items that are held at most; above it the item tried most is given up. */
  static final int MOST_STUCK = 100;

  /**
   * How many deliveries an item may be stuck for. Nothing behind it is committed, so that about as
   * many are repeated after a restart.
   */
  static final int MOST_REPEATED = 1_000;

  /** How often an item is tried whose place accepts others: over about 20 hours. */
  static final int MOST_TRIES = 30;

  /**
   * The time between two deliveries. Trackers limit writes more than reads; one comment a second is
   * well below their limits.
   */
  static final Duration DISTANCE = Duration.ofSeconds(1);

  static final Duration FIRST_WAIT = Duration.ofSeconds(5);
  static final Duration LONGEST_PLACE_WAIT = Duration.ofSeconds(320);
  static final Duration LONGEST_ITEM_WAIT = Duration.ofHours(1);

  /** The pause after a rate limit that names no time; polls begin with the same. */
  static final Duration LEAST_PAUSE = Duration.ofSeconds(60);

  private final List<Waiting> waiting = new ArrayList<>();
  private long notBefore;

  /** Failures since the last delivery. */
  private int failures;

  /** Writes that the place accepted. */
  private long delivered;

  /** Analyses for which nothing had to be written. */
  private long skipped;

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

  /** An analysis that must be given up, and why its last delivery failed. */
  record Hopeless(Received received, String reason) {}

  private static final class Waiting {
    private final Received received;

    /** How many analyses had been delivered or skipped when this one was read. */
    private final long doneBefore;

    private long due;

    /** Failures although the place accepted another analysis since the failure before. */
    private int tries;

    /** How many analyses had been delivered when this one failed last. */
    private long deliveredBefore = Long.MAX_VALUE;

    private String reason = "";
    private @Nullable String trouble;

    Waiting(Received received, long doneBefore, long due) {
      this.received = received;
      this.doneBefore = doneBefore;
      this.due = due;
    }

    boolean failed() {
      return trouble != null;
    }
  }

  void add(Received received, long now) {
    waiting.add(new Waiting(received, delivered + skipped, now));
  }

  /** Forgets what was read from these partitions: another process delivers it. */
  void forget(Collection<TopicPartition> partitions) {
    waiting.removeIf(one -> partitions.contains(one.received.partition()));
  }

  void clear() {
    waiting.clear();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  boolean isFull() {
    return waiting.size() - stuck() >= FULL;
  }

  /** Analyses of items that fail although their place accepts others. */
  private long stuck() {
    var items = new HashSet<ItemKey>();
    waiting.stream().filter(one -> one.tries > 0).forEach(one -> items.add(one.received.item()));
    return waiting.stream().filter(one -> items.contains(one.received.item())).count();
  }

  /**
   * An analysis that must be given up before its tries are used up: too many wait with it, or too
   * many were delivered behind it.
   */
  Optional<Hopeless> hopeless() {
    boolean many = stuck() > MOST_STUCK;
    return waiting.stream()
        .filter(one -> one.tries > 0)
        .filter(one -> many || delivered + skipped - one.doneBefore >= MOST_REPEATED)
        .max(Comparator.comparingInt(one -> one.tries))
        .map(one -> new Hopeless(one.received, one.reason));
  }

  /**
   * The lowest offset in each partition that is not delivered yet: only what lies before it may be
   * committed.
   */
  Map<TopicPartition, Long> oldest() {
    var oldest = new HashMap<TopicPartition, Long>();
    waiting.forEach(
        one -> oldest.merge(one.received.partition(), one.received.record().offset(), Math::min));
    return oldest;
  }

  /**
   * The analysis to deliver now: the one that has been due longest, and of one item the first that
   * was read. After a failure those that never failed come first, which shows soonest whether the
   * place or the item is to blame. Empty if none is due.
   */
  Optional<Received> next(long now) {
    if (now - notBefore < 0) {
      return Optional.empty();
    }
    var items = new HashSet<ItemKey>();
    Waiting next = null;
    for (Waiting one : waiting) {
      boolean first = items.add(one.received.item());
      if (first && now - one.due >= 0 && (next == null || before(one, next))) {
        next = one;
      }
    }
    return Optional.ofNullable(next).map(one -> one.received);
  }

  private boolean before(Waiting one, Waiting other) {
    if (failures > 0 && one.failed() != other.failed()) {
      return other.failed();
    }
    return one.due - other.due < 0;
  }

  /** Delivers nothing for this time. */
  void rest(Duration time, long now) {
    notBefore = now + time.toNanos();
  }

  void delivered(Received received, long now) {
    delivered++;
    failures = 0;
    placeTrouble = null;
    givenUp(received);
    rest(DISTANCE, now);
  }

  /** The place was read, and nothing had to be written: no proof that it accepts writes. */
  void skipped(Received received, long now) {
    skipped++;
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
    boolean counts = delivered > one.deliveredBefore;
    one.deliveredBefore = delivered;
    one.tries += counts ? 1 : 0;
    if (blame == Blame.GONE || one.tries >= MOST_TRIES) {
      rest(DISTANCE, now);
      return Optional.empty();
    }
    Duration own = counts ? wait(one.tries, LONGEST_ITEM_WAIT) : Duration.ZERO;
    Duration place = longer(wait(++failures, LONGEST_PLACE_WAIT), pause(failure));
    // Behind the others, also if the place is to blame: one of them may show that it is not.
    Duration longest = longer(own, place);
    one.due = now + longest.toNanos();
    // Two items that fail with no delivery between them: the place may reject every write.
    boolean all = blame == Blame.PLACE || failing() > 1;
    rest(all ? place : DISTANCE, now);
    one.reason = failure.reason();
    one.trouble =
        "write-back of " + received.item() + " waits " + longest.toSeconds() + "s: " + one.reason;
    placeTrouble = all ? one.trouble : null;
    return Optional.of(longest);
  }

  /** Items that failed since the last delivery. */
  private long failing() {
    return waiting.stream().filter(one -> one.deliveredBefore == delivered).count();
  }

  /** What keeps analyses from being delivered, one line; empty if nothing does. */
  Optional<String> trouble() {
    List<Waiting> failing = waiting.stream().filter(Waiting::failed).toList();
    if (failing.isEmpty()) {
      return Optional.empty();
    }
    String line = placeTrouble != null ? placeTrouble : failing.getFirst().trouble;
    int others = (placeTrouble != null ? waiting.size() : failing.size()) - 1;
    return Optional.of(line + (others > 0 ? "; " + others + " more wait" : ""));
  }

  private static Duration pause(TrackerFailure failure) {
    boolean silent =
        failure.category() == Category.RATE_LIMITED && !failure.retryAfter().isPositive();
    return silent ? LEAST_PAUSE : failure.retryAfter();
  }

  /** The wait after so many failures: 5 s, doubled with each, up to the longest. */
  private static Duration wait(int failures, Duration longest) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures - 1, 20));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
