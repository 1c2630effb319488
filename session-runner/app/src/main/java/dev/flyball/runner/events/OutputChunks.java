package dev.flyball.runner.events;

import dev.flyball.contract.session.OutputChunk;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Gathers one session's lines into chunks. A published line is cut at 64 KiB, because a record has
 * to stay below the broker's megabyte; the agent's reader has seen more of it. Thread-safe: both
 * streams and the flush come from different threads.
 */
public final class OutputChunks {
  private static final int MAX_LINE = 64 * 1024;

  /** A chunk's most characters: each may take six bytes of JSON, and a record holds a megabyte. */
  private static final int MAX_CHUNK = 128 * 1024;

  private final String token;
  private final Redactor redactor;
  private final Predicate<OutputChunk> taker;
  private final InstantSource clock;
  private final Part out = new Part("out");
  private final Part err = new Part("err");
  private long seq;

  /**
   * Creates the chunks of the session with this token.
   *
   * @param taker takes a chunk; false if it was dropped
   */
  public OutputChunks(
      String token, Redactor redactor, Predicate<OutputChunk> taker, InstantSource clock) {
    this.token = token;
    this.redactor = redactor;
    this.taker = taker;
    this.clock = clock;
  }

  /**
   * Takes one line of standard output.
   *
   * @param bytes how long it was before any cut
   */
  public void out(String line, long bytes) {
    add(out, shown(line, bytes));
  }

  /** Takes one line of standard error; returns the part that is published, without secrets. */
  public String err(String line, long bytes) {
    String shown = shown(line, bytes);
    add(err, shown);
    return shown;
  }

  /** Sends the gathered lines. */
  public synchronized void flush() {
    flush(out);
    flush(err);
  }

  private String shown(String line, long bytes) {
    return line.length() <= MAX_LINE
        ? redactor.redact(line)
        : redactor.redact(line, MAX_LINE) + " [cut, " + bytes + " bytes]";
  }

  private synchronized void add(Part part, String shown) {
    if (part.size + shown.length() + 1 > MAX_CHUNK) {
      flush(part);
    }
    part.lines.add(shown);
    part.size += shown.length() + 1;
  }

  private void flush(Part part) {
    if (part.lines.isEmpty()) {
      return;
    }
    if (part.lost > 0) {
      part.lines.addFirst("[" + part.lost + " lines were dropped: the broker did not take them]");
    }
    Instant now = clock.instant();
    boolean sent = taker.test(new OutputChunk(token, seq, part.stream, now, part.lines));
    if (sent) {
      seq++;
      part.lost = 0;
    } else {
      part.lost += part.lines.size() - (part.lost > 0 ? 1 : 0);
    }
    part.lines = new ArrayList<>();
    part.size = 0;
  }

  private static final class Part {
    private final String stream;
    private List<String> lines = new ArrayList<>();
    private int size;
    private int lost;

    Part(String stream) {
      this.stream = stream;
    }
  }
}
