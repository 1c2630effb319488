package dev.flyball.program.launch;

import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.runner.agent.AgentOutput;
import dev.flyball.runner.agent.AgentOutput.LineReader;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/**
 * Holds what a busy runner holds at its worst: 100,000 waiting requests, and eight streams whose
 * agents print lines of 10 MB, all at once.
 */
final class FullRunnerMain {
  private static final int REQUESTS = 100_000;
  private static final int STREAMS = 8;
  private static final int LINES = 3;

  private FullRunnerMain() {}

  public static void main(String[] args) throws Exception {
    var index = new RequestIndex();
    for (int i = 0; i < REQUESTS; i++) {
      Instant since = Instant.ofEpochMilli(1_700_000_000_000L + i);
      long turn = SessionRequest.turn(i % 4, since);
      String request = UUID.randomUUID().toString();
      index.put(
          new Waiting(
              "acme/ado-main/" + (9_000_000 + i),
              new Position(i % 6, i),
              request,
              1,
              turn,
              null,
              "default",
              null,
              null,
              0));
    }
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    long held = runtime.totalMemory() - runtime.freeMemory();
    System.out.println("index of " + index.size() + ": " + (held >> 20) + " MB");
    try (var threads = Executors.newFixedThreadPool(STREAMS)) {
      var streams = Collections.<Callable<Integer>>nCopies(STREAMS, FullRunnerMain::longLines);
      for (var each : threads.invokeAll(streams)) {
        if (each.get() != LINES) {
          throw new IllegalStateException("read " + each.get() + " lines");
        }
      }
    }
    System.exit(index.size() == REQUESTS && held < 64L << 20 ? 0 : 1);
  }

  private static int longLines() throws IOException {
    var reader = new Command("/bin/agent").session(Setup.DEFAULT).reader();
    int read = 0;
    for (int i = 0; i < LINES; i++) {
      var lines = new LineReader(line(), AgentOutput.LONGEST_LINE);
      for (String line = lines.next(); line != null; line = lines.next()) {
        var _ = reader.line(line);
        read++;
      }
    }
    return read;
  }

  /** A line of JSON of 10 MB: long strings of characters that take two bytes each in memory. */
  private static InputStream line() {
    byte[] text =
        ("{\"type\":\"text\",\"text\":\"" + "\u20ac".repeat(1 << 18) + "\"},")
            .getBytes(StandardCharsets.UTF_8);
    var parts = new ArrayList<InputStream>();
    parts.add(in("{\"type\":\"assistant\",\"message\":{\"content\":["));
    for (int size = 0; size < 10 << 20; size += text.length) {
      parts.add(new ByteArrayInputStream(text));
    }
    parts.add(in("0]}}\n"));
    return new SequenceInputStream(Collections.enumeration(List.copyOf(parts)));
  }

  private static InputStream in(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
