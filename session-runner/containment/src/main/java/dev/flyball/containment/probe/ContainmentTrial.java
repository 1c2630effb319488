package dev.flyball.containment.probe;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs a containment to verify that it holds its processes, its deadman included. */
final class ContainmentTrial {
  private static final Duration CLEAN_UP = Duration.ofSeconds(3);
  private static final byte[] LINE = "contained\n".getBytes(StandardCharsets.US_ASCII);
  private static final int BY_DEADMAN = 137;
  private static final String NO_ANSWER = "no answer within %d ms";

  private ContainmentTrial() {}

  /**
   * Runs two programs that each print one line. The first must end when the deadman notices that
   * its deadline has passed, the second ends by itself. Returns what went wrong, blank if nothing
   * did.
   */
  static String problem(Containment candidate, Duration limit) {
    try {
      ContainedProcess expiring =
          candidate.start(printing("exec sleep 60"), limit.multipliedBy(10));
      try {
        requireOutput(expiring, limit);
        expiring.extendTo(BootClock.sinceBoot());
        requireOrderlyEnd(candidate, limit);
        // A tree that outlives its lease may run beside its successor.
        int code =
            within(limit, expiring.onExit(), "a session lived on %d ms after its deadline").code();
        return code == BY_DEADMAN ? "" : "exit " + code + " at a passed deadline";
      } finally {
        expiring.kill(KillLadder.now(CLEAN_UP));
      }
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Runs the program that ends by itself. */
  private static void requireOrderlyEnd(Containment candidate, Duration limit) throws IOException {
    ContainedProcess process = candidate.start(printing("exit 3"), limit.multipliedBy(10));
    try {
      int code = within(limit, process.onExit(), NO_ANSWER).code();
      if (code != 3) {
        throw new IOException("exit " + code + " " + errorOutput(process));
      }
      requireOutput(process, limit);
    } finally {
      process.kill(KillLadder.now(CLEAN_UP));
    }
  }

  private static void requireOutput(ContainedProcess process, Duration limit) throws IOException {
    byte[] output =
        within(
            limit,
            CompletableFuture.supplyAsync(() -> firstLine(process), Thread::startVirtualThread),
            NO_ANSWER);
    if (!Arrays.equals(output, LINE)) {
      throw new IOException("no output: " + errorOutput(process));
    }
  }

  private static byte[] firstLine(ContainedProcess process) {
    try {
      return process.out().readNBytes(LINE.length);
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** The error output of the program or of its containment; blocks until it has ended. */
  private static String errorOutput(ContainedProcess process) throws IOException {
    process.kill(KillLadder.now(CLEAN_UP));
    String all = new String(process.err().readNBytes(300), StandardCharsets.UTF_8);
    return all.strip().replace('\n', ' ');
  }

  private static <T> T within(Duration limit, CompletableFuture<T> future, String late)
      throws IOException {
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (TimeoutException e) {
      throw new IOException(String.format(Locale.ROOT, late, limit.toMillis()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static Launch printing(String then) {
    return new Launch(
        "probe-" + UUID.randomUUID(),
        List.of("/bin/sh", "-c", "read line; echo $line; " + then),
        Map.of("PATH", "/usr/bin:/bin"),
        Path.of("/"),
        new String(LINE, StandardCharsets.US_ASCII));
  }
}
