package dev.flyball.tracker.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs one program to its end, without a shell and without input. Both outputs are drained and
 * bounded, its time is limited, and afterwards neither it nor what it started still runs. It does
 * not get environment variables of ours whose names denote secrets: those belong to other trackers.
 */
public final class ProgramCall {
  /** Most bytes of its output; more ends it. */
  static final int MOST_OUTPUT = 64 << 20;

  /** Most bytes of its error output that are kept; the rest is read and discarded. */
  private static final int MOST_COMPLAINT = 64 << 10;

  /** Names of variables with secrets, except those that az itself and its managed identity read. */
  private static final Pattern SECRET =
      Pattern.compile("(?!AZURE_|MSI_).*_(TOKEN|KEY|SECRET|PASSWORD)", Pattern.CASE_INSENSITIVE);

  private final List<String> command;
  private final Map<String, String> environment;
  private final Duration timeout;
  private final int mostOutput;

  /**
   * Starts nothing yet.
   *
   * @param command the program, found by the path if it has no slash, and its arguments
   * @param environment variables added to our own, of which secrets are not passed on
   */
  public ProgramCall(List<String> command, Map<String, String> environment, Duration timeout) {
    this(command, environment, timeout, MOST_OUTPUT);
  }

  /** With another limit of its output. */
  ProgramCall(
      List<String> command, Map<String, String> environment, Duration timeout, int mostOutput) {
    this.command = List.copyOf(command);
    this.environment = Map.copyOf(environment);
    this.timeout = timeout;
    this.mostOutput = mostOutput;
  }

  /**
   * Runs it and waits for its end.
   *
   * @throws InterruptedException if this thread is to stop; the program is ended then too
   */
  public ProgramEnd run() throws InterruptedException {
    String mark = UUID.randomUUID().toString();
    Process process;
    try {
      process = start(mark);
    } catch (IOException e) {
      return new ProgramEnd.NotStarted();
    }
    var tree = new ProcessTree(process, mark);
    var out = new Drain(process.getInputStream(), mostOutput, tree::end);
    var err = new Drain(process.getErrorStream(), MOST_COMPLAINT, () -> {});
    boolean inTime;
    try {
      inTime = process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      // Also after a successful end: a child process that it left behind may hold its output open.
      tree.end();
    }
    boolean outComplete = out.awaitEnd();
    boolean complete = err.awaitEnd() && outComplete;
    if (out.overflowed()) {
      return new ProgramEnd.Flooded(mostOutput);
    }
    return inTime && complete
        ? new ProgramEnd.Ended(
            process.exitValue(), out.bytes(), new String(err.bytes(), StandardCharsets.UTF_8))
        : new ProgramEnd.TimedOut();
  }

  private Process start(String mark) throws IOException {
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.environment().keySet().removeIf(name -> SECRET.matcher(name).matches());
    builder.environment().put(ProcessTree.MARK, mark);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    return builder.start();
  }
}
