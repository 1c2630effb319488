package dev.flyball.ops.console.output;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.console.output.SessionOutput.OutputLine;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** Reads one session's output from its earliest place, then new lines as they come. One thread. */
public final class SessionOutput implements AutoCloseable {
  private static final Duration REACH = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(500);

  /** A part ends after so many lines, or so long. */
  private static final int PART = 2_000;

  private static final Duration READ = Duration.ofSeconds(5);

  /** A session's last lines may arrive after its lease has ended. */
  private static final Duration LAST = Duration.ofSeconds(1);

  /** A runner's clock may be behind the clock that gave the session's beginning. */
  private static final Duration EARLIER = Duration.ofMinutes(5);

  private final String session;
  private final Consumer<String, byte[]> consumer;
  private final TopicTail tail;
  private final OrderedLines unrolled;

  private SessionOutput(
      String session, Consumer<String, byte[]> consumer, TopicTail tail, long chunk) {
    this.session = session;
    this.consumer = consumer;
    this.tail = tail;
    this.unrolled = new OrderedLines(chunk);
  }

  /**
   * Where a reader goes on.
   *
   * @param offset of the next record in the session's partition
   * @param chunk number of the next chunk of the session
   */
  public record Place(long offset, long chunk) {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,18})\\.([0-9]{1,18})");

    /** The place that a text names; empty if it names none. */
    public static Optional<Place> parse(String text) {
      Matcher matcher = TEXT.matcher(text);
      return matcher.matches()
          ? Optional.of(
              new Place(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
          : Optional.empty();
    }

    @Override
    public String toString() {
      return offset + "." + chunk;
    }
  }

  /**
   * Opens the output of a session.
   *
   * @param known the session; all that is kept is read if it is not known when it began
   * @param from the place at which an earlier reader ended; null to begin with the session
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   */
  public static SessionOutput open(KafkaClients clients, KnownSession known, @Nullable Place from) {
    String session = known.session();
    Instant since = known.since();
    var _ = clients.reach(REACH);
    Consumer<String, byte[]> consumer = clients.consumer("logs", Map.of());
    try {
      String topic = clients.topics().sessionOutput();
      int partitions = consumer.partitionsFor(topic).size();
      var partition =
          new TopicPartition(
              topic,
              Utils.toPositive(Utils.murmur2(session.getBytes(StandardCharsets.UTF_8)))
                  % partitions);
      var tail = new TopicTail(consumer, List.of(partition));
      if (from != null) {
        consumer.seek(partition, from.offset());
      } else if (since != null) {
        begin(consumer, partition, since);
      }
      return new SessionOutput(session, consumer, tail, from == null ? 0 : from.chunk());
    } catch (RuntimeException e) {
      consumer.close();
      throw e;
    }
  }

  private static void begin(
      Consumer<String, byte[]> consumer, TopicPartition partition, Instant since) {
    long from = since.minus(EARLIER).toEpochMilli();
    var found = consumer.offsetsForTimes(Map.of(partition, from)).get(partition);
    if (found == null) {
      // No record is that new yet.
      consumer.seekToEnd(List.of(partition));
    } else {
      consumer.seek(partition, found.offset());
    }
  }

  /**
   * The next part: whole chunks, until there are enough lines, or no further one within the time.
   *
   * @param known the session whose output this is, as it was before
   * @param waits whether to wait for a line where all were returned
   */
  public OutputPart part(KnownSession known, boolean waits) {
    var lines = new ArrayList<OutputLine>();
    long began = System.nanoTime();
    Duration patience = !waits ? Duration.ZERO : known.live() ? READ : LAST;
    boolean end;
    long took;
    do {
      for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
        if (session.equals(record.key()) && record.value() != null) {
          lines.addAll(lines(record.offset(), record.timestamp(), record.value(), unrolled));
        }
      }
      end = tail.reached(tail.ends());
      took = System.nanoTime() - began;
    } while (lines.size() < PART
        && took < READ.toNanos()
        && (!end || (lines.isEmpty() && took < patience.toNanos())));
    long offset = tail.positions().values().iterator().next();
    String place = new Place(offset, unrolled.next()).toString();
    return new OutputPart(session, known.item(), lines, place, !end, known.live());
  }

  /** A session's records of session-output, read without a broker. */
  public interface Kept {
    /** Passes those from an offset on until the reader has enough; returns whether it had all. */
    boolean read(String session, long from, Reader reader);

    /** Takes records. */
    interface Reader {
      /** Takes one; returns whether it wants more. */
      boolean take(long offset, long timestamp, byte @Nullable [] value);
    }
  }

  /** The part that begins at a place; the first one without a place. */
  public static OutputPart part(KnownSession known, @Nullable Place from, Kept kept) {
    var lines = new ArrayList<OutputLine>();
    var unrolled = new OrderedLines(from == null ? 0 : from.chunk());
    long[] next = {from == null ? 0 : from.offset()};
    boolean whole =
        kept.read(
            known.session(),
            next[0],
            (offset, timestamp, value) -> {
              next[0] = offset + 1;
              lines.addAll(value == null ? List.of() : lines(offset, timestamp, value, unrolled));
              return lines.size() < PART;
            });
    String place = new Place(next[0], unrolled.next()).toString();
    // Without a broker no session goes on.
    return new OutputPart(known.session(), known.item(), lines, place, !whole, false);
  }

  @Override
  public void close() {
    consumer.close();
  }

  private static List<OutputLine> lines(
      long offset, long timestamp, byte[] value, OrderedLines unrolled) {
    try {
      return unrolled.take(RecordJson.read(value, OutputChunk.class));
    } catch (UnreadableRecord e) {
      return List.of(
          new OutputLine(
              Instant.ofEpochMilli(timestamp),
              OutputLine.GAP,
              "[offset " + offset + " cannot be read]"));
    }
  }

  /**
   * Chunks of one session as lines, in the order in which the runner numbered them. A line marks
   * where chunks are missing, for example after retention deleted them. A chunk that was sent twice
   * is returned once. One thread.
   */
  static final class OrderedLines {
    private long next;

    /**
     * @param next the number of the chunk that comes first; 0 at the beginning
     */
    OrderedLines(long next) {
      this.next = next;
    }

    /** The number of the chunk that comes next. */
    long next() {
      return next;
    }

    /** The lines of the next chunk that was read. */
    List<OutputLine> take(OutputChunk chunk) {
      if (chunk.seq() < next) {
        return List.of();
      }
      var lines = new ArrayList<OutputLine>();
      if (chunk.seq() > next) {
        lines.add(new OutputLine(chunk.at(), OutputLine.GAP, missing(chunk.seq() - next)));
      }
      next = chunk.seq() + 1;
      chunk.lines().forEach(line -> lines.add(new OutputLine(chunk.at(), chunk.stream(), line)));
      return lines;
    }

    private String missing(long chunks) {
      return next == 0
          ? "[the beginning is no longer kept]"
          : "[" + chunks + (chunks == 1 ? " chunk is" : " chunks are") + " missing]";
    }
  }

  /**
   * One line of an agent's output.
   *
   * @param stream {@code out}, {@code err}, or {@code gap}: then the line is ours and names what is
   *     missing here
   * @param line as it was published; a cut one ends with a mark
   */
  public record OutputLine(Instant at, String stream, String line) {
    /** The stream of a line that names what is missing. */
    public static final String GAP = "gap";
  }

  /**
   * A part of a session's output, for a program that reads on where it ends.
   *
   * @param session the whole id
   * @param item whose session it is
   * @param next the place at which the next part begins
   * @param more whether further lines are kept already
   * @param live whether the session was live before the lines were read, so that more may come
   */
  public record OutputPart(
      String session,
      String item,
      List<OutputLine> lines,
      String next,
      boolean more,
      boolean live) {
    public OutputPart {
      lines = List.copyOf(lines);
    }
  }
}
