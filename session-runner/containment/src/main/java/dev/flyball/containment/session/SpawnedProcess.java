package dev.flyball.containment.session;

import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.PosixSpawn;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process that posix_spawn has started. It is signalled only while its pid cannot belong to
 * another: it is reaped under the same lock.
 */
final class SpawnedProcess extends Process {
  private static final long STACK_BYTES = 128 * 1024;

  private final int pid;
  private final InputStream out;
  private final InputStream err;
  private final CompletableFuture<Integer> exit = new CompletableFuture<>();

  private SpawnedProcess(PosixSpawn.Started started) {
    this.pid = started.pid();
    this.out = new BufferedInputStream(started.out());
    this.err = new BufferedInputStream(started.err());
  }

  /** A call that starts a program. */
  interface Start {
    PosixSpawn.Started start() throws IOException;
  }

  /**
   * Starts a process, and a thread that waits for its end. The thread is there first: a process
   * that no thread waits for would never be reaped.
   */
  static SpawnedProcess of(Start start) throws IOException {
    var watched = new CompletableFuture<Optional<SpawnedProcess>>();
    Thread.ofPlatform()
        .daemon()
        .name("end of a process")
        .stackSize(STACK_BYTES)
        .start(() -> watched.join().ifPresent(SpawnedProcess::awaitEnd));
    try {
      var process = new SpawnedProcess(start.start());
      watched.complete(Optional.of(process));
      return process;
    } finally {
      watched.complete(Optional.empty());
    }
  }

  private void awaitEnd() {
    Kernel.awaitEnd(pid);
    int code;
    synchronized (exit) {
      code = Kernel.reapCode(pid);
      exit.complete(code);
    }
  }

  private void signal(int signal) {
    synchronized (exit) {
      if (!exit.isDone()) {
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

  @Override
  public CompletableFuture<Process> onExit() {
    return exit.thenApply(code -> this);
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
