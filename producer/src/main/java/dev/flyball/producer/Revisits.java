package dev.flyball.producer;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.OutstandingReader;
import dev.flyball.producer.publish.OutstandingReader.Outstanding;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.SourceFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.stream.Stream;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Checks a source's waiting and running items again by their ids. One that was closed, deleted or
 * moved away may no longer be in the query's answer, and its session would run for nothing. Rounds
 * go over all these items, with a few calls in each poll: the first with the first poll of a
 * process, each other one an interval after the one before. Used by the polling thread only.
 */
final class Revisits {
  /** Most calls in one poll; a round that needs more continues with the next poll. */
  private static final int MOST_CALLS = 5;

  private static final String UNCHECKED = "waiting items were not looked at again: ";

  private final String key;
  private final OutstandingReader outstanding;

  /** How far the newest round came; null before the first. */
  private @Nullable Mark mark;

  Revisits(String key, OutstandingReader outstanding) {
    this.key = key;
    this.outstanding = outstanding;
  }

  /**
   * How far a round came.
   *
   * @param began when it began
   * @param last the last item checked; null if the round is complete
   */
  record Mark(Instant began, @Nullable ItemKey last) {}

  /**
   * What a check found.
   *
   * @param items as they are now, deleted ones as closed
   * @param known what was published of those that are as their session reads them
   * @param mark how far the round came; null if nothing is to be recorded
   * @param requests calls made to the tracker
   * @param failure why the round could not go on, one line; null if it could
   */
  record Look(
      List<RawItem> items,
      Map<ItemKey, Known> known,
      @Nullable Mark mark,
      int requests,
      @Nullable String failure) {
    static final Look NONE = new Look(List.of(), Map.of(), null, 0, null);

    /** A poll's answer and this check's items together. */
    PollResult with(PollResult read) {
      return new PollResult(
          Stream.concat(read.items().stream(), items.stream()).toList(),
          read.invalid(),
          read.unknown(),
          read.cursor(),
          read.requests() + requests,
          read.retryAfter(),
          read.more(),
          read.notRead());
    }
  }

  /** Checks the items whose turn it is, except those that the poll has just read. */
  Look look(
      GuardedSource source,
      Snapshots snapshots,
      PollResult read,
      RequestPermission permission,
      Instant now) {
    if (source.source().revisitBatch() == 0 || read.retryAfter().isPositive()) {
      return Look.NONE;
    }
    Mark from = mark;
    if (from == null || from.last() == null) {
      // A clock that was set back delays no round.
      if (from != null
          && !from.began().isAfter(now)
          && now.isBefore(from.began().plus(snapshots.revisit()))) {
        return Look.NONE;
      }
      from = new Mark(now, null);
    }
    try {
      return round(source, snapshots, read, permission, from);
    } catch (KafkaException e) {
      return new Look(
          List.of(), Map.of(), null, 0, UNCHECKED + "session-requests: " + e.getMessage());
    }
  }

  private Look round(
      GuardedSource source,
      Snapshots snapshots,
      PollResult read,
      RequestPermission permission,
      Mark from) {
    NavigableMap<ItemKey, Outstanding> waiting = outstanding.of(key);
    read.items().forEach(item -> waiting.remove(item.key()));
    var left =
        new ArrayList<>(
            (from.last() == null ? waiting : waiting.tailMap(from.last(), false)).keySet());
    var items = new ArrayList<RawItem>();
    int requests = 0;
    Mark reached = from;
    for (int call = 0; call < MOST_CALLS && !left.isEmpty(); call++) {
      List<ItemKey> batch = left.subList(0, Math.min(source.source().revisitBatch(), left.size()));
      try {
        Revisited seen = source.revisit(List.copyOf(batch), permission);
        items.addAll(seen.items());
        seen.gone().stream().sorted().forEach(gone -> items.add(deleted(gone, waiting)));
        requests += seen.requests();
      } catch (SourceFailure e) {
        String why = UNCHECKED + e.failure().reason();
        return found(items, waiting, snapshots, reached, requests, why);
      }
      reached = new Mark(from.began(), batch.getLast());
      batch.clear();
    }
    Mark end = left.isEmpty() ? new Mark(from.began(), null) : reached;
    return found(items, waiting, snapshots, end, requests, null);
  }

  /** Items that are as their session reads them were published, by this producer or another. */
  private static Look found(
      List<RawItem> items,
      Map<ItemKey, Outstanding> waiting,
      Snapshots snapshots,
      Mark mark,
      int requests,
      @Nullable String failure) {
    var known = new HashMap<ItemKey, Known>();
    for (RawItem item : items) {
      Snapshot now = snapshots.of(item, true);
      Outstanding request = waiting.get(item.key());
      if (request != null
          && !now.closed()
          && !now.lacksRequest()
          && now.fingerprint().equals(request.fingerprint())) {
        known.put(
            item.key(), new Known(List.of(item.digest()), snapshots.version(), item.changedAt()));
      }
    }
    return new Look(List.copyOf(items), known, mark, requests, failure);
  }

  /** The poll is committed: the round continues after the items that it has checked. */
  void done(Look look) {
    if (look.mark() != null) {
      mark = look.mark();
    }
  }

  private static RawItem deleted(ItemKey key, Map<ItemKey, Outstanding> waiting) {
    Outstanding request = waiting.get(key);
    if (request == null) {
      throw new IllegalStateException("the source says of " + key + " that it is gone, unasked");
    }
    return RawItem.of(key, request.title())
        .type(request.type())
        .state("deleted", true)
        .priority(request.priority())
        .changed(request.revision(), null, null)
        .build();
  }
}
