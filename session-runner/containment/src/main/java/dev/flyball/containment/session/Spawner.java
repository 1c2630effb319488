package dev.flyball.containment.session;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/**
 * Starts every process on one platform thread that ends only with the JVM. The kernel ties a
 * process's parent-death signal to the thread that started it: a tree started from a virtual thread
 * was killed after 30 s, when its carrier went idle.
 */
public final class Spawner {
  private static final Executor THREAD =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("spawner").factory());

  /** Pids of live processes; the starting thread and ends write it, any thread reads it. */
  private static final Set<Long> LIVE = ConcurrentHashMap.newKeySet();

  private Spawner() {}

  /** A call that forks: {@link ProcessBuilder#start} of a builder. */
  public interface Fork {
    /** Starts the process. */
    Process start() throws IOException;
  }

  /**
   * Starts a process; blocks until it is started.
   *
   * @throws IOException if there is no process. Whatever else is thrown, an unknown process may
   *     live: the JDK forks first, and then creates what it watches the process with
   */
  public static Process start(Fork fork) throws IOException {
    var started = new CompletableFuture<Process>();
    THREAD.execute(() -> start(fork, started));
    try {
      return started.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException denied -> throw new IOException(denied.getMessage(), denied);
        case Error fault -> throw fault;
        case null, default -> throw e;
      }
    }
  }

  private static void start(Fork fork, CompletableFuture<Process> started) {
    try {
      Process process;
      synchronized (LIVE) {
        process = fork.start();
        LIVE.add(process.pid());
      }
      var _ = process.onExit().thenRun(() -> LIVE.remove(process.pid()));
      started.complete(process);
    } catch (Throwable e) {
      // An Error too. The thread must not end, because all agents would end with it.
      started.completeExceptionally(e);
    }
  }

  /**
   * Finds a program on the runner's own PATH; the agent's PATH may differ.
   *
   * @throws CannotStart if it is missing; the message names it
   */
  public static String program(String name) throws CannotStart {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin:/bin");
    return Launch.onPath(name, path + ":/usr/bin:/bin:/usr/sbin:/sbin")
        .filter(file -> file.isAbsolute() && Files.isExecutable(file))
        .findFirst()
        .map(Path::toString)
        .orElseThrow(
            () -> new CannotStart("containment", name + " is missing; install util-linux"));
  }

  /**
   * Whether a child of this JVM was started here, and not adopted as an orphan. Waits for a start
   * under way: its process may have been seen before its pid is known here.
   */
  public static boolean started(int pid) {
    synchronized (LIVE) {
      return LIVE.contains((long) pid);
    }
  }
}
