package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.metrics.AverageCost;
import dev.flyball.ops.console.metrics.FactRules;
import dev.flyball.ops.console.metrics.FoldedTo;
import dev.flyball.ops.console.metrics.MetricFact;
import dev.flyball.ops.console.metrics.SessionSpan;
import dev.flyball.ops.console.metrics.WindowCount;
import dev.flyball.ops.console.metrics.stream.MetricsTopology.WindowRows.Window;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topology: a part for each partition of session-events reads events into facts, and one part
 * folds the facts of all of them. A session's cap and an hour's counts are of all partitions, so
 * they cannot be counted in one.
 *
 * <p>Kafka 4.3 rejects another topology of the same group. One that changes needs another {@link
 * Topics#metricsApplicationId}; it then counts again from the events that are kept.
 */
final class MetricsTopology {
  /** The fold's one store. */
  static final String STORE = "windows";

  private static final String FACTS = "facts";

  private MetricsTopology() {}

  /**
   * Builds the topology, for production and tests.
   *
   * @param tick how often changed windows are written
   */
  static Topology build(Topics topics, Duration tick) {
    var builder = new StreamsBuilder();
    builder.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.persistentKeyValueStore(STORE), Serdes.String(), Serdes.ByteArray())
            .withCachingEnabled());
    String schema = topics.spec(topics.metrics()).schema();
    builder.stream(
            topics.sessionEvents(),
            Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()).withName("events"))
        .process(FactReader::new, Named.as("read"))
        .repartition(
            Repartitioned.<String, byte[]>as(FACTS)
                .withNumberOfPartitions(1)
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.ByteArray()))
        .process(() -> new WindowFold(schema, tick), Named.as("fold"), STORE)
        .to(
            topics.metrics(),
            Produced.<String, byte[]>as("write")
                .withKeySerde(Serdes.String())
                .withValueSerde(Serdes.ByteArray()));
    return builder.build();
  }

  /**
   * Folds facts into windows and writes each changed window from time to time: a minute at most
   * once a tick, an hour at most once in {@link #HOUR_TICKS} ticks. One stream thread.
   */
  static final class WindowFold implements Processor<String, byte[], String, byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(WindowFold.class);

    /** An hour is the sum of 60 minutes, so it costs more to write, and changes less each time. */
    static final int HOUR_TICKS = 10;

    private static final int MOST_WRITTEN = 1_000;

    /**
     * How long windows stay in the store: the grace of a day, and a day for a fold that is behind.
     */
    private static final Duration KEPT = Duration.ofDays(2);

    /** A fact older than this shows that past events are read again. */
    private static final Duration PAST = Duration.ofHours(36);

    /**
     * How long after such a fact windows are deleted again: others of the same window may follow.
     */
    private static final Duration QUIET = Duration.ofHours(1);

    private static final Duration CLEAN = Duration.ofMinutes(5);

    private final String schema;
    private final Duration tick;
    private @Nullable ProcessorContext<String, byte[]> context;
    private @Nullable WindowRows rows;
    private Instant hoursWritten = Instant.MAX;
    private Instant pastSeen = Instant.MAX;
    private Instant cleaned = Instant.MAX;

    WindowFold(String schema, Duration tick) {
      this.schema = schema;
      this.tick = tick;
    }

    @Override
    public void init(ProcessorContext<String, byte[]> with) {
      context = with;
      rows = new WindowRows(with.getStateStore(MetricsTopology.STORE));
      pastSeen = Instant.ofEpochMilli(with.currentSystemTimeMs());
      cleaned = pastSeen;
      hoursWritten = pastSeen;
      with.schedule(tick, PunctuationType.WALL_CLOCK_TIME, this::write);
    }

    @Override
    public void process(Record<String, byte[]> record) {
      WindowRows all = rows;
      ProcessorContext<String, byte[]> at = context;
      if (all == null || at == null || record.value() == null) {
        return;
      }
      try {
        if (isFolded(all, record)) {
          return;
        }
        MetricFact fact = RecordJson.read(record.value(), MetricFact.class);
        Instant now = Instant.ofEpochMilli(at.currentSystemTimeMs());
        if (now.minus(PAST).toEpochMilli() > fact.at()) {
          pastSeen = now;
        }
        fold(all, fact);
      } catch (RuntimeException e) {
        // Whatever the cause: it would end the stream thread at every start.
        LOG.error("a fact cannot be counted: offset={}", offset(at), e);
      }
    }

    /** Whether the fact of this event was folded before; if not, notes that it is. */
    private static boolean isFolded(WindowRows rows, Record<String, byte[]> record) {
      String from = EventHeaders.text(record.headers(), FactReader.FROM);
      // Facts of an earlier version, which wait in their topic, do not have it.
      if (from == null) {
        return false;
      }
      int slash = from.indexOf('/');
      int partition = Integer.parseInt(from.substring(0, slash));
      long offset = Long.parseLong(from.substring(slash + 1));
      FoldedTo before = rows.foldedTo(partition);
      if (before.contains(offset, record.timestamp())) {
        return true;
      }
      rows.foldedTo(partition, before.after(offset, record.timestamp()));
      return false;
    }

    private static void fold(WindowRows rows, MetricFact fact) {
      AverageCost before = rows.average();
      AverageCost after = before.after(fact);
      if (!after.equals(before)) {
        rows.average(after);
      }
      String id = fact.session();
      if (id != null) {
        SessionSpan open = rows.session(id);
        SessionSpan.Step step = SessionSpan.step(open, fact);
        if (step.next() == null ? open != null : !step.next().equals(open)) {
          rows.session(id, step.next());
        }
        String tenant = open == null ? fact.tenant() : open.tenant();
        for (SessionSpan.Mark mark : step.marks()) {
          Window minute = Window.minute(SessionSpan.minute(mark.at()), tenant);
          rows.put(minute, rows.count(minute).marked(mark));
        }
      }
      if (fact.counts()) {
        Window minute = Window.minute(SessionSpan.minute(fact.at()), fact.tenant());
        rows.put(minute, rows.count(minute).fold(fact, before));
      }
    }

    private void write(long nowMs) {
      WindowRows all = rows;
      ProcessorContext<String, byte[]> to = context;
      if (all == null || to == null) {
        return;
      }
      Instant now = Instant.ofEpochMilli(nowMs);
      boolean hours = !now.isBefore(hoursWritten.plus(tick.multipliedBy(HOUR_TICKS)));
      for (Window window : all.unwritten(MOST_WRITTEN, each -> hours || !each.isHour())) {
        write(all, to, window, nowMs);
      }
      if (hours) {
        hoursWritten = now;
      }
      if (now.isAfter(cleaned.plus(CLEAN)) && now.isAfter(pastSeen.plus(QUIET))) {
        cleaned = now;
        all.deleteBefore(now.minus(KEPT).truncatedTo(ChronoUnit.HOURS));
      }
    }

    private void write(
        WindowRows all, ProcessorContext<String, byte[]> to, Window window, long nowMs) {
      var value = all.count(window).toWindow(window.size(), window.start(), window.tenant());
      to.forward(
          new Record<>(
              window.toString(), RecordJson.bytes(value), nowMs, EventHeaders.schema(schema)));
      all.written(window);
    }

    private static long offset(ProcessorContext<?, ?> at) {
      return at.recordMetadata().map(where -> where.offset()).orElse(-1L);
    }
  }

  /**
   * The fold's one store: a row for each minute of each tenant, for each open session, for the
   * average cost, for each window whose record is not written yet, and for each partition of
   * session-events. One stream thread.
   */
  static final class WindowRows {
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

    /**
     * A row that cannot be read is lost: rejecting it would end the stream thread at every start.
     */
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

  /**
   * Reads events into facts, each about a tenth of its event. An event that cannot be read is
   * counted as other: triage-stream reads session-events too, and writes its dead letter. One
   * stream thread.
   */
  static final class FactReader implements Processor<byte[], byte[], String, byte[]> {
    /** The header of a fact that names its event's partition and offset, for example 3/17. */
    static final String FROM = "from";

    private @Nullable ProcessorContext<String, byte[]> context;

    @Override
    public void init(ProcessorContext<String, byte[]> with) {
      context = with;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      ProcessorContext<String, byte[]> to = context;
      if (to == null || record.value() == null) {
        return;
      }
      MetricFact fact = fact(record);
      to.forward(new Record<>(fact.tenant(), RecordJson.bytes(fact), record.timestamp(), from(to)));
    }

    /** Where the event was read: the partition and the offset. */
    private static Headers from(ProcessorContext<?, ?> context) {
      var headers = new RecordHeaders();
      context
          .recordMetadata()
          .map(at -> at.partition() + "/" + at.offset())
          .ifPresent(at -> headers.add(FROM, at.getBytes(StandardCharsets.UTF_8)));
      return headers;
    }

    private static MetricFact fact(Record<byte[], byte[]> record) {
      Instant written = Instant.ofEpochMilli(record.timestamp());
      try {
        return FactRules.of(EventHeaders.read(record.headers(), record.value()), written);
      } catch (RuntimeException e) {
        // Whatever the cause: it would end the stream thread at every start.
        String subject =
            record.key() == null ? "-" : new String(record.key(), StandardCharsets.UTF_8);
        return FactRules.unknown(subject, written);
      }
    }
  }
}
