package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.ops.console.metrics.AverageCost;
import dev.flyball.ops.console.metrics.FoldedTo;
import dev.flyball.ops.console.metrics.SessionSpan;
import dev.flyball.ops.console.metrics.WindowCount;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fold's one store: a row for each minute of each tenant, for each open session, for the
 * average cost, for each window whose record is not written yet, and for each partition of
 * session-events. One stream thread.
 */
final class WindowRows {
  private static final Logger LOG = LoggerFactory.getLogger(WindowRows.class);

  private static final String WINDOW = "w/";
  private static final String SESSION = "s/";
  private static final String UNWRITTEN = "u/";
  private static final String FOLDED = "p/";
  private static final String AVERAGE = "average";
  private static final int MOST_DELETED = 5_000;

  private final KeyValueStore<String, byte[]> store;

  /** Windows whose record is not written yet; the same as the rows of them. */
  private final Set<Window> unwritten = new LinkedHashSet<>();

  /** The rows of the partitions, each of which changes with every fact. */
  private final Map<Integer, FoldedTo> folded = new HashMap<>();

  WindowRows(KeyValueStore<String, byte[]> store) {
    this.store = store;
    try (KeyValueIterator<String, byte[]> rows = store.range(UNWRITTEN, end(UNWRITTEN))) {
      while (rows.hasNext()) {
        unwritten.add(Window.parse(rows.next().key.substring(UNWRITTEN.length())));
      }
    }
  }

  /** The key of a window's record. */
  record Window(String size, Instant start, String tenant) {
    static final String MINUTE = "1m";
    static final String HOUR = "1h";

    static Window minute(long start, String tenant) {
      return new Window(MINUTE, Instant.ofEpochMilli(start), tenant);
    }

    static Window parse(String text) {
      String[] parts = text.split("/", 3);
      return new Window(parts[0], Instant.parse(parts[1]), parts[2]);
    }

    /** The hour that it lies in. */
    Window hour() {
      long hour = Duration.ofHours(1).toSeconds();
      long second = Math.floorDiv(start.getEpochSecond(), hour) * hour;
      return new Window(HOUR, Instant.ofEpochSecond(second), tenant);
    }

    boolean isHour() {
      return size.equals(HOUR);
    }

    @Override
    public String toString() {
      return size + "/" + start + "/" + tenant;
    }
  }

  /** What is counted of a window; of an hour, the sum of its minutes. */
  WindowCount count(Window window) {
    if (!window.isHour()) {
      WindowCount known = read(row(window), WindowCount.class);
      return known == null ? WindowCount.EMPTY : known;
    }
    var minutes = new ArrayList<WindowCount>();
    for (int i = 0; i < 60; i++) {
      Instant start = window.start().plus(Duration.ofMinutes(i));
      minutes.add(count(new Window(Window.MINUTE, start, window.tenant())));
    }
    return WindowCount.hour(minutes);
  }

  /** Stores a minute; its record, and that of its hour, have to be written. */
  void put(Window minute, WindowCount count) {
    store.put(row(minute), RecordJson.bytes(count));
    for (Window each : List.of(minute, minute.hour())) {
      if (unwritten.add(each)) {
        store.put(UNWRITTEN + each, new byte[] {'1'});
      }
    }
  }

  /** At most this many windows whose record is to be written, oldest change first. */
  List<Window> unwritten(int most, Predicate<Window> which) {
    return unwritten.stream().filter(which).limit(most).toList();
  }

  /** The window's record was written. */
  void written(Window window) {
    unwritten.remove(window);
    store.delete(UNWRITTEN + window);
  }

  @Nullable SessionSpan session(String id) {
    return read(SESSION + id, SessionSpan.class);
  }

  void session(String id, @Nullable SessionSpan span) {
    if (span == null) {
      store.delete(SESSION + id);
    } else {
      store.put(SESSION + id, RecordJson.bytes(span));
    }
  }

  AverageCost average() {
    AverageCost known = read(AVERAGE, AverageCost.class);
    return known == null ? AverageCost.NONE : known;
  }

  void average(AverageCost average) {
    store.put(AVERAGE, RecordJson.bytes(average));
  }

  /** How far a partition of session-events is folded. */
  FoldedTo foldedTo(int partition) {
    FoldedTo known = folded.get(partition);
    if (known == null) {
      FoldedTo stored = read(FOLDED + partition, FoldedTo.class);
      known = stored == null ? FoldedTo.NONE : stored;
    }
    return known;
  }

  void foldedTo(int partition, FoldedTo now) {
    folded.put(partition, now);
    store.put(FOLDED + partition, RecordJson.bytes(now));
  }

  /** Deletes windows before this time, and sessions that no event has named since. */
  void deleteBefore(Instant time) {
    delete(WINDOW, WINDOW + time, key -> true);
    delete(
        SESSION,
        end(SESSION),
        key -> {
          SessionSpan span = read(key, SessionSpan.class);
          return span == null || span.seenTo() < time.toEpochMilli();
        });
  }

  private void delete(String from, String to, Predicate<String> which) {
    var keys = new ArrayList<String>();
    try (KeyValueIterator<String, byte[]> rows = store.range(from, to)) {
      while (rows.hasNext() && keys.size() < MOST_DELETED) {
        String key = rows.next().key;
        if (which.test(key)) {
          keys.add(key);
        }
      }
    }
    keys.forEach(store::delete);
  }

  /** A row that cannot be read is lost: rejecting it would end the stream thread at every start. */
  private <T> @Nullable T read(String key, Class<T> type) {
    byte[] value = store.get(key);
    if (value == null) {
      return null;
    }
    try {
      return RecordJson.read(value, type);
    } catch (UnreadableRecord e) {
      LOG.error("a row of the metrics fold cannot be read and starts again: key={}", key, e);
      return null;
    }
  }

  private static String row(Window minute) {
    return WINDOW + minute.start() + "/" + minute.tenant();
  }

  /** The first key after every one with this prefix. */
  private static String end(String prefix) {
    return prefix.substring(0, prefix.length() - 1) + "0";
  }
}
