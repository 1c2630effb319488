package dev.flyball.ops.console.metrics.stream;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.metrics.AverageCost;
import dev.flyball.ops.console.metrics.FoldedTo;
import dev.flyball.ops.console.metrics.MetricFact;
import dev.flyball.ops.console.metrics.SessionSpan;
import dev.flyball.ops.console.metrics.stream.WindowRows.Window;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds facts into windows and writes each changed window from time to time: a minute at most once
 * a tick, an hour at most once in {@link #HOUR_TICKS} ticks. One stream thread.
 */
final class WindowFold implements Processor<String, byte[], String, byte[]> {
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

  /** How long after such a fact windows are deleted again: others of the same window may follow. */
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
