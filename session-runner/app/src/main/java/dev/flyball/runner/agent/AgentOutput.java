package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private static final Duration JOIN = Duration.ofSeconds(2);

  private final Agent agent;
  private final Agent.Reader reader;
  private final int longestLine;
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
     * @return whether more is wanted; else the rest is read and dropped, because a program that
     *     blocks in a write could not end its turn
     */
    boolean arrived(int bytes, boolean endsLine);

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
   * The output of one session of an agent, which is read in lines of at most {@code longestLine}
   * bytes.
   *
   * @param before what the sessions used that it goes on with
   */
  public AgentOutput(Agent agent, TokenCount before, int longestLine) {
    this.agent = agent;
    this.reader = agent.readers().apply(before);
    this.longestLine = longestLine;
  }

  /** Begins to read; call it once. */
  public void drain(ContainedProcess process, Listener listener) {
    long pid = process.identity().pid();
    drain("out-" + pid, process.out(), listener, (line, bytes) -> out(line, bytes, listener));
    drain("err-" + pid, process.err(), listener, (line, bytes) -> err(line, bytes, listener));
  }

  /** Takes a line within its bound, and its length in bytes before it was cut. */
  private interface LineTaker {
    void take(String line, long bytes);
  }

  private void drain(String name, InputStream in, Listener listener, LineTaker taker) {
    open.add(in);
    var counted = new Counted(in, listener);
    threads.add(Thread.ofPlatform().daemon().name(name).start(() -> lines(counted, taker)));
  }

  private void lines(InputStream in, LineTaker taker) {
    var lines = new LineReader(in, longestLine);
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
  private static void take(String line, long bytes, LineTaker taker) {
    try {
      taker.take(line, bytes);
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

  /**
   * The failure that ended the reading of a stream before its end, else null. The agent would
   * block, so it has to be ended.
   */
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
    return silent ? reader.afterSilence() : reader.soFar();
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

  /** Counts bytes as they arrive, so that output without line ends is bounded too. */
  private static final class Counted extends FilterInputStream {
    private final Listener listener;

    Counted(InputStream in, Listener listener) {
      super(in);
      this.listener = listener;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = in.read(bytes, from, length);
      if (count > 0 && !listener.arrived(count, endsLine(bytes, from, count))) {
        in.transferTo(OutputStream.nullOutputStream());
        return -1;
      }
      return count;
    }

    private static boolean endsLine(byte[] bytes, int from, int count) {
      for (int i = from; i < from + count; i++) {
        if (bytes[i] == '\n') {
          return true;
        }
      }
      return false;
    }
  }
}
