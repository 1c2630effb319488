package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The launcher's JVM settings")
final class JvmOptionsIT {

  @ParameterizedTest
  @ValueSource(strings = {"run", "runner", "items"})
  @DisplayName("out of memory ends a program with 137, never with 3: work that is done")
  void outOfMemoryHasASeparateExitCode(String command) throws Exception {
    assertThat(exit(command, Hungry.class)).isEqualTo(137);
  }

  @Test
  @DisplayName("it ends the first process of a container too, which no signal from inside can end")
  void outOfMemoryEndsTheFirstProcessOfAContainer() throws Exception {
    var container = new ArrayList<>(List.of("unshare", "--pid", "--fork", "--kill-child"));
    if (!"root".equals(System.getProperty("user.name"))) {
      container.addAll(List.of("--user", "--map-current-user"));
    }
    container.add("--mount-proc");

    assertThat(exit(container, "runner", Hungry.class)).isEqualTo(3);
  }

  @Test
  @DisplayName("a runner's heap holds 100,000 waiting requests and eight lines of 10 MB")
  void aRunnersHeapIsLargeEnough() throws Exception {
    assertThat(exit("runner", FullRunner.class)).isZero();
  }

  private static int exit(String command, Class<?> main) throws Exception {
    return exit(List.of(), command, main);
  }

  private static int exit(List<String> around, String command, Class<?> main) throws Exception {
    var words = new ArrayList<>(around);
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(JvmOptions.of(command));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return new ProcessBuilder(words).inheritIO().start().waitFor();
  }

  /** Takes all memory that there is. */
  static final class Hungry {
    private Hungry() {}

    public static void main(String[] args) {
      var eaten = new ArrayList<byte[]>();
      while (eaten.size() < Integer.MAX_VALUE) {
        eaten.add(new byte[1 << 20]);
      }
    }
  }

  /**
   * Holds what a busy runner holds at its worst: 100,000 waiting requests, and eight streams whose
   * agents print lines of 10 MB, all at once.
   */
  static final class FullRunner {
    private static final int REQUESTS = 100_000;
    private static final int STREAMS = 8;
    private static final int LINES = 3;

    private FullRunner() {}

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
        var streams = Collections.<Callable<Integer>>nCopies(STREAMS, FullRunner::longLines);
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
}
