package dev.flyball.producer;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A tracker in memory that answers as REST trackers do: with what changed since the cursor and an
 * overlap before it. Any thread may change its items while it is polled.
 */
final class DeltaTracker implements Source {
  static final Duration OVERLAP = Duration.ofHours(1);

  private final String tenant;
  private final String name;
  private final Map<String, RawItem> items = new ConcurrentHashMap<>();
  final List<List<String>> revisited = new CopyOnWriteArrayList<>();

  /** Why it cannot be polled; null if it can. */
  volatile @Nullable TrackerFailure failure;

  /** How often it was polled. */
  final AtomicInteger polled = new AtomicInteger();

  /** Why it cannot be asked by id; null if it can. */
  volatile @Nullable TrackerFailure revisitFailure;

  /** The items whose comments were read, in that order. */
  final List<String> commentsRead = new CopyOnWriteArrayList<>();

  /** Each item's comments, as its tracker gives them. */
  volatile List<HumanComment> comments = List.of();

  /** Why comments cannot be read; null if they can. */
  volatile @Nullable TrackerFailure commentsFailure;

  /** Whether its reader breaks when it is asked by id. */
  volatile boolean revisitBreaks;

  DeltaTracker(String tenant, String name) {
    this.tenant = tenant;
    this.name = name;
  }

  void put(String id, String title, Instant changedAt) {
    put(id, title, "Active", changedAt);
  }

  void put(String id, String title, String state, Instant changedAt) {
    items.put(id, item(tenant, name, title, id, state, changedAt));
  }

  /** An item of type Bug. */
  static RawItem item(
      String tenant, String name, String title, String id, String state, Instant changedAt) {
    return RawItem.of(new ItemKey(tenant, name, id), title)
        .type("Bug")
        .state(state)
        .changed("1", changedAt, null)
        .build();
  }

  Optional<RawItem> item(String id) {
    return Optional.ofNullable(items.get(id));
  }

  void delete(String id) {
    items.remove(id);
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    permission.check();
    polled.incrementAndGet();
    TrackerFailure why = failure;
    if (why != null) {
      throw new SourceFailure(why, null);
    }
    Instant from = cursor == null ? Instant.EPOCH : Instant.parse(cursor).minus(OVERLAP);
    var changed = new ArrayList<RawItem>();
    Instant watermark = cursor == null ? Instant.EPOCH : Instant.parse(cursor);
    for (RawItem item : items.values()) {
      Instant at = changedAt(item);
      if (!at.isBefore(from)) {
        changed.add(item);
        watermark = at.isAfter(watermark) ? at : watermark;
      }
    }
    changed.sort(Comparator.comparing(DeltaTracker::changedAt));
    return new PollResult(changed, List.of(), watermark.toString(), 1);
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(Instant.parse(cursor).minus(OVERLAP));
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    permission.check();
    commentsRead.add(item.key().id());
    TrackerFailure failure = commentsFailure;
    if (failure != null) {
      throw new SourceFailure(failure, null);
    }
    return comments;
  }

  @Override
  public int revisitBatch() {
    return 2;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    permission.check();
    revisited.add(keys.stream().map(ItemKey::id).toList());
    if (revisitBreaks) {
      throw new IllegalStateException("broken");
    }
    TrackerFailure failure = revisitFailure;
    if (failure != null) {
      throw new SourceFailure(failure, null);
    }
    var seen = new ArrayList<RawItem>();
    var gone = new HashSet<ItemKey>();
    for (ItemKey key : keys) {
      RawItem item = items.get(key.id());
      if (item == null) {
        gone.add(key);
      } else {
        seen.add(item);
      }
    }
    return new Revisited(seen, gone, 1);
  }

  private static Instant changedAt(RawItem item) {
    return item.changedAt() == null ? Instant.EPOCH : item.changedAt();
  }
}
