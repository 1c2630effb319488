package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains both streams of an agent, each on a separate thread, for as long as a process may write:
 * an undrained stream blocks the agent. The agent's reader is called under this object's monitor.
 */
public final class AgentOutput {
  private static final Logger log = LoggerFactory.getLogger(AgentOutput.class);
  private static final int STDERR_TAIL = 4096;

  /** A longer line is cut and marked; long strings of a line of JSON are shortened before that. */
  public static final int LONGEST_LINE = 2 << 20;

  private static final Duration JOIN = Duration.ofSeconds(2);

  private final Agent agent;
  private final Agent.Reader reader;
  private final StringBuilder stderrTail = new StringBuilder();
  private final List<Thread> threads = new ArrayList<>();
  private final List<InputStream> open = new ArrayList<>();

  /** Whether nothing more is taken; written by the thread that joins, read by the streams'. */
  private volatile boolean closed;

  /** Why a stream is no longer read; written by its thread, read by any. */
  private volatile @Nullable Throwable fault;

  /** What is done with what an agent prints; called by the threads of its streams. */
  public interface Listener {
    /**
     * Bytes arrived, of either stream: output without line ends shows life, and counts, too.
     *
     * @param endsLine whether a line ended with them
     */
    void arrived(int bytes, boolean endsLine);

    /**
     * A line of standard output was read.
     *
     * @param bytes its length before it was cut
     */
    void out(String line, long bytes, List<AgentSignal> signals);

    /** A line of standard error was read; returns what of it may be quoted. */
    String err(String line, long bytes);
  }

  /**
   * The output of one session of an agent.
   *
   * @param before what the sessions used that it goes on with
   */
  public AgentOutput(Agent agent, TokenCount before) {
    this.agent = agent;
    this.reader = agent.readers().apply(before);
  }

  /** Begins to read; call it once. */
  public void drain(ContainedProcess process, Listener listener) {
    long pid = process.identity().pid();
    drain("out-" + pid, process.out(), listener, (line, bytes) -> out(line, bytes, listener));
    drain("err-" + pid, process.err(), listener, (line, bytes) -> err(line, bytes, listener));
  }

  /**
   * Reads one stream.
   *
   * @param taker takes a line within its bound, and its length in bytes before it was cut
   */
  private void drain(
      String name, InputStream in, Listener listener, ObjLongConsumer<String> taker) {
    open.add(in);
    var lines = new LineReader(in, LONGEST_LINE, listener::arrived);
    threads.add(Thread.ofPlatform().daemon().name(name).start(() -> read(lines, taker)));
  }

  private void read(LineReader lines, ObjLongConsumer<String> taker) {
    try {
      for (String line = lines.next(); line != null && !closed; line = lines.next()) {
        take(line, lines.lineBytes(), taker);
      }
    } catch (IOException e) {
      // Closed by join(): the tree is dead, and a foreign process holds the stream open.
    } catch (RuntimeException | Error e) {
      // Nothing is allocated here: this thread may have run out of memory.
      fault = e;
    }
  }

  /** A line that fails to be processed must not stop the reading. */
  private static void take(String line, long bytes, ObjLongConsumer<String> taker) {
    try {
      taker.accept(line, bytes);
    } catch (RuntimeException e) {
      log.warn("line of an agent could not be read: characters={}", line.length(), e);
    }
  }

  private void out(String line, long bytes, Listener listener) {
    List<AgentSignal> signals;
    synchronized (this) {
      signals = reader.line(line).stream().map(agent::priced).toList();
    }
    listener.out(line, bytes, signals);
  }

  private void err(String said, long bytes, Listener listener) {
    String line = listener.err(said, bytes);
    synchronized (this) {
      stderrTail.append(line, Math.max(0, line.length() - STDERR_TAIL), line.length()).append('\n');
      if (stderrTail.length() > STDERR_TAIL) {
        stderrTail.delete(0, stderrTail.length() - STDERR_TAIL);
      }
    }
  }

  /** Why the reading of a stream ended early, or null; the agent would block, and must end. */
  public @Nullable Throwable fault() {
    return fault;
  }

  /**
   * Waits for the ends of the streams, for two seconds at most. It does not wait for a foreign
   * process that holds a stream open, and nothing that comes later is read. Once is enough.
   */
  public void join() {
    if (closed) {
      return;
    }
    long end = System.nanoTime() + JOIN.toNanos();
    try {
      for (Thread thread : threads) {
        thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true;
    // Closing may wait for a reader that is blocked in the same stream.
    open.forEach(in -> Thread.ofVirtual().start(() -> close(in)));
  }

  /** The answer of an agent that ended by itself. */
  public synchronized AgentAnswer end(Exit exit) {
    return reader.end(exit, stderrTail.toString());
  }

  /**
   * What it has answered, for an agent that is ended from outside.
   *
   * @param silent whether it was ended because it had been silent for long
   */
  public synchronized AgentAnswer soFar(boolean silent) {
    return reader.soFar(silent);
  }

  /** How far the agent has reported what it used. */
  public synchronized Agent.Reported reported() {
    return reader.reported();
  }

  private static void close(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // Nothing is lost: everything that could be read was read.
    }
  }

  /**
   * Reads lines of bounded length from an untrusted stream: a line of any length costs the same
   * memory. A longer line is cut and marked; the rest of it is read and dropped. In a line that
   * begins like a JSON object, long strings are shortened first. So it stays JSON, and its type,
   * figures and short fields are still understood. Bytes that are not UTF-8 become the replacement
   * character. Not thread-safe.
   */
  public static final class LineReader {
    private final InputStream in;
    private final int maxBytes;
    private final Arrival arrival;
    private final byte[] buffer = new byte[64 * 1024];
    private byte[] line = new byte[1024];
    private @Nullable JsonStrings strings;
    private int position;
    private int end;
    private int length;
    private long whole;
    private boolean cut;

    /** Takes how many bytes have arrived, before their lines are known, and whether one ends. */
    interface Arrival {
      void of(int bytes, boolean endsLine);
    }

    /** Reads the lines of a stream, each cut at {@code maxBytes} bytes. */
    public LineReader(InputStream in, int maxBytes) {
      this(in, maxBytes, (bytes, endsLine) -> {});
    }

    LineReader(InputStream in, int maxBytes, Arrival arrival) {
      this.in = in;
      this.maxBytes = maxBytes;
      this.arrival = arrival;
    }

    /** The next line without its end, null at the end of the stream. */
    public @Nullable String next() throws IOException {
      length = 0;
      whole = 0;
      cut = false;
      strings = null;
      boolean any = false;
      while (true) {
        if (position == end) {
          end = Math.max(0, in.read(buffer));
          position = 0;
          if (end == 0) {
            return any ? text() : null;
          }
          arrival.of(end, lineEnd(0) < end);
        }
        if (!any && buffer[position] == '{') {
          strings = new JsonStrings(maxBytes);
        }
        any = true;
        int start = position;
        position = lineEnd(position);
        whole += position - start;
        keep(start, position);
        if (position < end) {
          position++;
          return text();
        }
      }
    }

    /** Where the line ends that begins there, or the end of what was read. */
    private int lineEnd(int from) {
      int at = from;
      while (at < end && buffer[at] != '\n') {
        at++;
      }
      return at;
    }

    /** Length of the newest line before it was cut or shortened, in bytes. */
    public long lineBytes() {
      return whole;
    }

    private void keep(int from, int to) {
      for (int i = from; i < to && !cut; i++) {
        boolean kept = strings == null || strings.keeps(buffer[i], length);
        cut = kept && length == maxBytes;
        if (kept && !cut) {
          if (length == line.length) {
            line = Arrays.copyOf(line, (int) Math.min(maxBytes, length * 2L));
          }
          line[length++] = buffer[i];
        }
      }
    }

    private String text() {
      int shown = length > 0 && !cut && line[length - 1] == '\r' ? length - 1 : length;
      String text = new String(line, 0, shown, StandardCharsets.UTF_8);
      if (line.length > buffer.length) {
        line = new byte[1024];
      }
      return cut ? text + " [cut, " + whole + " bytes]" : text;
    }

    /**
     * Shortens the strings of one line of JSON while its bytes are read. So a line with a string of
     * ten megabytes stays JSON and is never held whole. Long strings share half of the line: each
     * may take half of what is left of that, so the first keeps most. Ids, types and names stay
     * whole. Cuts fall between characters and never into an escape.
     */
    private static final class JsonStrings {
      /** A string of up to this many bytes is never shortened. */
      private static final int SHORTEST = 64;

      private static final int AFTER_BACKSLASH = -1;

      private final int maxBytes;
      private boolean inside;
      private boolean dropping;
      private int room;

      /** What is left of an escape: AFTER_BACKSLASH, or how many hex digits; else 0. */
      private int escape;

      /** Shortens the strings of a line that may keep this many bytes. */
      JsonStrings(int maxBytes) {
        this.maxBytes = maxBytes;
      }

      /**
       * Takes the line's next byte and returns whether it is kept.
       *
       * @param kept how many bytes of the line were kept before it
       */
      boolean keeps(byte next, int kept) {
        if (!inside) {
          inside = next == '"';
          dropping = false;
          room = Math.max(SHORTEST, (maxBytes / 2 - kept) / 2);
          return true;
        }
        if (escape != 0) {
          escape = escape > 0 ? escape - 1 : next == 'u' ? 4 : 0;
        } else if (next == '"') {
          inside = false;
          return true;
        } else {
          boolean begins = (next & 0xC0) != 0x80;
          dropping |= begins && room <= 0;
          escape = next == '\\' ? AFTER_BACKSLASH : 0;
        }
        room--;
        return !dropping;
      }
    }
  }
}
