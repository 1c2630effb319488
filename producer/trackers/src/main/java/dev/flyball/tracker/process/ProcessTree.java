package dev.flyball.tracker.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A program with everything that it started. Child processes are found by their parents, or by a
 * mark in their environment, which each inherits, if the parent has exited. A child that clears its
 * environment and outlives its parent escapes.
 */
final class ProcessTree {
  /** The environment variable of the mark. */
  static final String MARK = "FLYBALL_CALL";

  /** How often the tree is checked again: what is killed may have forked just before. */
  private static final int MOST_ROUNDS = 20;

  private static final Duration END_LIMIT = Duration.ofSeconds(5);
  private static final Path PROC = Path.of("/proc");

  private final Process root;
  private final byte[] mark;

  ProcessTree(Process root, String mark) {
    this.root = root;
    this.mark = (MARK + "=" + mark + "\0").getBytes(StandardCharsets.US_ASCII);
  }

  /** Kills the tree; returns when no process is left, or when what is left cannot be killed. */
  void end() {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      List<ProcessHandle> left = left();
      if (left.isEmpty()) {
        return;
      }
      left.forEach(ProcessHandle::destroyForcibly);
      awaitEnd(left);
    }
  }

  private List<ProcessHandle> left() {
    var left = new ArrayList<ProcessHandle>();
    root.descendants().filter(ProcessHandle::isAlive).forEach(left::add);
    if (root.isAlive()) {
      left.add(root.toHandle());
    }
    left.addAll(marked());
    return left;
  }

  /**
   * Processes with the mark, also those whose parents have exited; none where there is no /proc.
   */
  private List<ProcessHandle> marked() {
    var marked = new ArrayList<ProcessHandle>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path each : all) {
        // The handle first: it holds the process's start time, so that no later process with the
        // same id is taken for it.
        ProcessHandle.of(Long.parseLong(each.getFileName().toString()))
            .filter(handle -> isMarked(each.resolve("environ")))
            .ifPresent(marked::add);
      }
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      return marked;
    }
    return marked;
  }

  private boolean isMarked(Path environ) {
    try {
      return contains(Files.readAllBytes(environ));
    } catch (IOException e) {
      return false; // Another user's process, or exited.
    }
  }

  private boolean contains(byte[] environ) {
    for (int at = 0; at + mark.length <= environ.length; at++) {
      int same = 0;
      while (same < mark.length && environ[at + same] == mark[same]) {
        same++;
      }
      if (same == mark.length) {
        return true;
      }
    }
    return false;
  }

  private static void awaitEnd(List<ProcessHandle> processes) {
    try {
      CompletableFuture.allOf(
              processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new))
          .get(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // Checked again in the next round.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
