package dev.flyball.containment.session;

import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.PosixSpawn;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that posix_spawn has started. It is signalled only while its pid cannot belong to
 * another: it is reaped under the same lock.
 */
final class SpawnedProcess extends Process {
  private static final long STACK_BYTES = 256 * 1024;

  /** Threads that wait for a process to exit, or to write. */
  private static final ExecutorService WAITING =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("process-", 0).stackSize(STACK_BYTES).factory());

  private final int pid;
  private final ProcessOutput out;
  private final ProcessOutput err;
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();

  /** Held while this process is signalled, and while it is reaped. */
  private final Object reaping = new Object();

  /** Whether the pid may belong to another process. */
  private boolean reaped;

  private SpawnedProcess(PosixSpawn.Started started) {
    this.pid = started.pid();
    this.out = new ProcessOutput(started.out(), WAITING);
    this.err = new ProcessOutput(started.err(), WAITING);
  }

  /** A call that starts a program. */
  interface Start {
    PosixSpawn.Started start() throws IOException;
  }

  /**
   * Starts a process, and has a thread wait for its exit. The thread is there first: a process that
   * no thread waits for would never be reaped.
   */
  static SpawnedProcess of(Start start) throws IOException {
    var watched = new CompletableFuture<Optional<SpawnedProcess>>();
    WAITING.execute(() -> watched.join().ifPresent(SpawnedProcess::awaitExit));
    try {
      var process = new SpawnedProcess(start.start());
      watched.complete(Optional.of(process));
      return process;
    } finally {
      watched.complete(Optional.empty());
    }
  }

  private void awaitExit() {
    Kernel.awaitEnd(pid);
    int code;
    synchronized (reaping) {
      code = Kernel.reapCode(pid);
      reaped = true;
    }
    // Without the lock: what waits for the exit may itself wait for a thread that signals.
    exit.complete(code);
    out.processExited();
    err.processExited();
  }

  private void signal(int signal) {
    synchronized (reaping) {
      if (!reaped) {
        Kernel.signal(pid, signal);
      }
    }
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public ProcessHandle toHandle() {
    return ProcessHandle.of(pid)
        .orElseThrow(() -> new UnsupportedOperationException("process " + pid + " has ended"));
  }

  /** Nothing: its input is a file. */
  @Override
  public OutputStream getOutputStream() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return out;
  }

  @Override
  public InputStream getErrorStream() {
    return err;
  }

  @Override
  public boolean isAlive() {
    return !exit.isDone();
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return exit.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    try {
      exit.get(timeout, unit);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** What depends on it runs on another thread, as with a process that the JDK starts. */
  @Override
  public CompletableFuture<Process> onExit() {
    return exit.thenApplyAsync(code -> this);
  }

  @Override
  public int exitValue() {
    if (!exit.isDone()) {
      throw new IllegalThreadStateException("process " + pid + " has not ended");
    }
    return exit.join();
  }

  @Override
  public boolean supportsNormalTermination() {
    return true;
  }

  @Override
  public void destroy() {
    signal(Kernel.TERM);
  }

  @Override
  public Process destroyForcibly() {
    signal(Kernel.KILL);
    return this;
  }
}
