package dev.flyball.tracker.http;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A shell command that prints a token in its first line, and the token until it expires. All
 * sources with the same command share one token. No message contains a part of the output. Any
 * thread.
 */
final class TokenCommand {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** How long a token is kept that does not say when it expires. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  /** The longest that a token is kept, whatever it says. */
  private static final Duration MOST_KEPT = Duration.ofDays(1);

  /** So long before it expires, a token is replaced: a request with it takes a while. */
  private static final Duration MARGIN = Duration.ofMinutes(1);

  /** As many as are configured. */
  private static final Map<String, TokenCommand> ALL = new ConcurrentHashMap<>();

  private final String line;
  private final Duration limit;
  private final InstantSource clock;

  /** The last token; null before the first run, and after the tracker rejected it. */
  private @Nullable String token;

  private Instant replace = Instant.MIN;

  TokenCommand(String line, Duration limit, InstantSource clock) {
    this.line = line;
    this.limit = limit;
    this.clock = clock;
  }

  static TokenCommand of(String line) {
    return ALL.computeIfAbsent(line, each -> new TokenCommand(each, LIMIT, InstantSource.system()));
  }

  /** The tracker rejected a request with these headers: the token in them is not used again. */
  static void rejected(Map<String, String> headers) {
    var sent = new Secrets(headers);
    ALL.values().forEach(command -> command.forget(sent));
  }

  private synchronized void forget(Secrets sent) {
    if (token != null && sent.contains(token)) {
      token = null;
    }
  }

  /**
   * The token, of a new run if there is none or it expires.
   *
   * @throws SourceFailure of category AUTH if the command prints no token
   */
  synchronized String token() {
    Instant now = clock.instant();
    if (token == null || !now.isBefore(replace)) {
      token = null;
      String printed = Tokens.usable(run(), place());
      replace = now.plus(kept(printed, now));
      token = printed;
    }
    return token;
  }

  /** Names the command by its first word: arguments may be confidential. */
  private String place() {
    return "the output of the token command " + line.strip().split("\\s", 2)[0];
  }

  /** How long it is used: a JSON Web Token says when it expires. */
  private static Duration kept(String token, Instant now) {
    String[] parts = token.split("\\.", -1);
    if (parts.length == 3) {
      try {
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        long seconds = RecordJson.parse(claims).path("exp").asLong() - now.getEpochSecond();
        if (seconds > 0) {
          Duration left = Duration.ofSeconds(Math.min(seconds, MOST_KEPT.toSeconds()));
          return left.minus(MARGIN);
        }
      } catch (IllegalArgumentException | UnreadableRecord e) {
        // Not a JSON Web Token, although it has three parts.
      }
    }
    return KEPT;
  }

  private String run() {
    Process process;
    try {
      process =
          new ProcessBuilder("/bin/sh", "-c", line)
              .redirectInput(Redirect.from(new File("/dev/null")))
              .redirectError(Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw Tokens.refused(place() + " is missing: /bin/sh cannot be started; install it");
    }
    try {
      return firstLine(process);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    } finally {
      end(process);
    }
  }

  private String firstLine(Process process) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    var first = new CompletableFuture<String>();
    Thread.ofVirtual().name("token-command").start(() -> read(process.getInputStream(), first));
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw late();
    }
    if (process.exitValue() != 0) {
      throw Tokens.refused(
          place()
              + " is no token: it ended with exit code "
              + process.exitValue()
              + "; run it by hand as the producer's user to see why");
    }
    try {
      String printed = first.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      if (printed.isBlank()) {
        throw Tokens.refused(place() + " is empty; print the token in its first line");
      }
      if (printed.length() > Tokens.MAX_LENGTH) {
        throw Tokens.refused(place() + " is too long for a token; print nothing else");
      }
      return printed.strip();
    } catch (ExecutionException | TimeoutException e) {
      throw late();
    }
  }

  private SourceFailure late() {
    return Tokens.refused(
        place()
            + " is no token: it took longer than "
            + limit.toMillis()
            + " ms and was ended with all that it started; run it by hand to see what it waits"
            + " for");
  }

  /** Reads to the end, so that the command does not block, and keeps the first line. */
  private static void read(InputStream output, CompletableFuture<String> first) {
    try (InputStream in = new BufferedInputStream(output)) {
      var line = new ByteArrayOutputStream();
      int next = in.read();
      while (next >= 0 && next != '\n' && line.size() <= Tokens.MAX_LENGTH) {
        line.write(next);
        next = in.read();
      }
      first.complete(line.toString(StandardCharsets.ISO_8859_1));
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      first.complete("");
    }
  }

  /** Ends the command with the processes that it started; nothing to do where it ended itself. */
  private static void end(Process process) {
    List<ProcessHandle> started = process.descendants().toList();
    process.destroyForcibly();
    for (ProcessHandle each : started) {
      // What was started since the list was made is found by its parent, which still runs.
      each.descendants().forEach(ProcessHandle::destroyForcibly);
      each.destroyForcibly();
    }
  }
}
