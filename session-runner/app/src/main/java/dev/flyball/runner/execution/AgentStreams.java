package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentReader;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.agent.LineReader;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.session.SessionInput;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.io.InputStream;
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
final class AgentStreams {
  private static final Logger log = LoggerFactory.getLogger(AgentStreams.class);
  private static final int STDERR_TAIL = 4096;
  private static final Duration JOIN = Duration.ofSeconds(2);

  private final AgentReader reader;
  private final OutputChunks chunks;
  private final StringBuilder stderrTail = new StringBuilder();
  private final List<Thread> threads = new ArrayList<>();
  private final List<InputStream> open = new ArrayList<>();

  /**
   * Whether the session has its answer; written by the session's thread, read by the streams'
   * threads.
   */
  private volatile boolean ended;

  /** Whether the agent reported the end of its turn; written by a stream's thread, read by any. */
  private volatile boolean turnEnded;

  /** Why a stream is no longer read; written by its thread, read by the session's thread. */
  private volatile @Nullable Throwable fault;

  AgentStreams(AgentReader reader, OutputChunks chunks) {
    this.reader = reader;
    this.chunks = chunks;
  }

  void start(ContainedProcess process, LiveSession session) {
    long pid = process.identity().pid();
    drain(
        "out-" + pid,
        new CountingStream(process.out(), session),
        (line, bytes) -> out(line, bytes, session));
    drain(
        "err-" + pid,
        new CountingStream(process.err(), session),
        (line, bytes) -> err(line, bytes, session));
  }

  /** Takes a line within its bound, and its length in bytes before it was cut. */
  private interface LineTaker {
    void take(String line, long bytes);
  }

  private void drain(String name, InputStream in, LineTaker consumer) {
    open.add(in);
    threads.add(Thread.ofPlatform().daemon().name(name).start(() -> lines(in, consumer)));
  }

  private void lines(InputStream in, LineTaker consumer) {
    var lines = new LineReader(in, SessionLimits.MAX_LINE_BYTES);
    try {
      for (String line = lines.next(); line != null && !ended; line = lines.next()) {
        take(line, lines.lineBytes(), consumer);
      }
    } catch (IOException e) {
      // The stream was closed by join(): the tree is dead, and a foreign process holds the stream
      // open.
    } catch (RuntimeException | Error e) {
      // Nothing is allocated here: this thread may have run out of memory.
      fault = e;
    }
  }

  /**
   * The failure that ended the reading of a stream before its end, else null. The agent would
   * block, so the session is ended.
   */
  @Nullable Throwable fault() {
    return fault;
  }

  /**
   * A line that fails to be processed must not stop the reading: an undrained stream blocks the
   * agent.
   */
  private static void take(String line, long bytes, LineTaker consumer) {
    try {
      consumer.take(line, bytes);
    } catch (RuntimeException e) {
      log.warn("line of an agent could not be read: characters={}", line.length(), e);
    }
  }

  private void out(String line, long bytes, LiveSession session) {
    List<AgentSignal> signals;
    synchronized (this) {
      signals = reader.line(line);
    }
    chunks.out(line, bytes);
    for (AgentSignal signal : signals) {
      turnEnded =
          signal instanceof AgentSignal.Result
              || (turnEnded && !(signal instanceof AgentSignal.Working));
    }
    boolean onlyWaits =
        !signals.isEmpty() && signals.stream().allMatch(AgentSignal.Waiting.class::isInstance);
    session.on(new SessionInput.Line(false, !onlyWaits));
    signals.forEach(session::said);
  }

  private void err(String said, long bytes, LiveSession session) {
    session.on(new SessionInput.Line(true, true));
    // The tail is cut from redacted text, because half a secret would not be recognised any more.
    String line = chunks.err(said, bytes);
    synchronized (this) {
      stderrTail.append(line, Math.max(0, line.length() - STDERR_TAIL), line.length()).append('\n');
      if (stderrTail.length() > STDERR_TAIL) {
        stderrTail.delete(0, stderrTail.length() - STDERR_TAIL);
      }
    }
  }

  /**
   * Waits for the ends of the streams, for two seconds at most. It does not wait for a foreign
   * process that holds a stream open, and nothing that comes later is read.
   */
  void join() {
    long end = System.nanoTime() + JOIN.toNanos();
    try {
      for (Thread thread : threads) {
        thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ended = true;
    for (InputStream in : open) {
      close(in);
    }
    chunks.flush();
  }

  /** Whether the agent ended its turn, so that its session can be resumed. */
  boolean turnEnded() {
    return turnEnded;
  }

  synchronized AgentAnswer end(Exit exit) {
    return reader.end(exit, stderrTail.toString());
  }

  /**
   * What it has answered, for a session that is ended from outside.
   *
   * @param silent whether it was ended because it had been silent for long
   */
  synchronized AgentAnswer soFar(boolean silent) {
    return silent ? reader.afterSilence() : reader.soFar();
  }

  /** How far the agent has reported what it used. */
  synchronized AgentReader.Reported reported() {
    return reader.reported();
  }

  private static void close(InputStream in) {
    // Closing may wait for a reader that is blocked in the same stream, so a separate thread does
    // it.
    Thread.ofVirtual()
        .start(() -> {
          try {
            in.close();
          } catch (IOException e) {
            // Nothing is lost: everything that could be read was read.
          }
        });
  }

  /**
   * Counts bytes as they arrive, so that output without line ends is bounded too. Such output, for
   * example dots or a progress bar, shows life as a line does.
   */
  private static final class CountingStream extends InputStream {
    private final InputStream in;
    private final LiveSession session;

    CountingStream(InputStream in, LiveSession session) {
      this.in = in;
      this.session = session;
    }

    @Override
    public int read() throws IOException {
      int one = in.read();
      if (one >= 0) {
        session.on(new SessionInput.Output(1, one != '\n'));
      }
      return one;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = in.read(bytes, from, length);
      if (count > 0) {
        session.on(new SessionInput.Output(count, !endsLine(bytes, from, count)));
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

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
