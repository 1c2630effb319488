package dev.flyball.producer;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Published;
import dev.flyball.producer.history.LocalCopy;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.publish.LeasedCursor;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.Source;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was published of one source before a poll. It is the local copy if that belongs to the
 * committed cursor. If the copy was lost or another producer polled since, it is what the topic
 * work-items holds. Used by the polling thread only.
 */
final class PublishedBefore {
  private static final Logger LOG = LoggerFactory.getLogger(PublishedBefore.class);

  /** By how much the tracker's clock and ours may differ, or a commit may be late. */
  private static final Duration CLOCK_DOUBT = Duration.ofHours(1);

  private final String key;
  private final LeasedCursor cursor;
  private final PollHistory history;

  PublishedBefore(String key, LeasedCursor cursor, PollHistory history) {
    this.key = key;
    this.cursor = cursor;
    this.history = history;
  }

  /**
   * Learns what was published of a source that answers only with changes, from the time at which
   * its next poll reads again. Called before the tracker is asked, so that an unreadable topic
   * costs the tracker no request.
   *
   * @throws org.apache.kafka.common.KafkaException if the topic cannot be read now
   */
  void takeOver(PollCursor committed, Source source) {
    Optional<Instant> horizon = source.horizon(committed.at());
    if (horizon.isEmpty() || history.isAt(key, committed.toString())) {
      return;
    }
    Published published = cursor.publishedSince(horizon.get().minus(CLOCK_DOUBT));
    learn(committed, published.newest(), Set.of(), "the topic since " + horizon.get());
  }

  /**
   * What is known of a poll's items. If the file is unchanged, all of it was published; if it
   * changed, what the topic still holds.
   */
  Optional<LocalCopy> of(PollResult.Read read, Optional<PollCursor> committed) {
    List<ItemKey> items = read.items().stream().map(RawItem::key).toList();
    Optional<LocalCopy> copy = history.copyAt(key, cursor.cursor(), items);
    if (copy.isPresent() || committed.isEmpty()) {
      return copy;
    }
    PollCursor before = committed.get();
    if (before.at().equals(read.cursor())) {
      Map<ItemKey, Known> known = ChangePlan.learn(read.items(), before.version());
      return learn(before, known, digests(read), "the unchanged source");
    }
    Map<ItemKey, Known> known = cursor.publishedSince(null).within(read.items());
    return learn(before, known, Set.of(), "the topic");
  }

  private Optional<LocalCopy> learn(
      PollCursor committed, Map<ItemKey, Known> known, Set<String> invalid, String from) {
    LOG.info("source {}: learnt {} published items from {}", key, known.size(), from);
    var copy = new LocalCopy(known, invalid);
    history.replace(key, committed.toString(), copy);
    return Optional.of(copy);
  }

  /** Digests of a poll's unreadable lines, as in {@link LocalCopy#invalid}. */
  static Set<String> digests(PollResult.Read read) {
    var digests = new HashSet<String>();
    read.invalid().forEach(line -> digests.add(digest(line)));
    return digests;
  }

  static String digest(PollResult.Unread line) {
    var parts = new TreeMap<String, String>();
    parts.put("reason", line.reason());
    parts.put("value", line.value());
    return Fingerprint.of(parts).hash();
  }
}
