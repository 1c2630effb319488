package dev.flyball.runner.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A folder that one process holds. The kernel releases the lock when its holder dies, however it
 * dies.
 */
public final class RunnerFolder implements AutoCloseable {
  private static final int PROBE_BYTES = 64 * 1024;

  /**
   * Lock files that this JVM holds. The kernel drops all of a process's locks on a file when the
   * process closes any descriptor of it, so a rejected second hold must not even open it.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final Path file;
  private final FileChannel channel;
  private final FileLock lock;

  private RunnerFolder(Path path, Path file, FileChannel channel, FileLock lock) {
    this.path = path;
    this.file = file;
    this.channel = channel;
    this.lock = lock;
  }

  /**
   * Creates the folder if it is missing, and holds it.
   *
   * @param name the name of the hold: one folder may be held once under each name
   * @throws FolderRejected if it cannot be written, is full or is held by another process
   */
  public static RunnerFolder hold(Path path, String name) throws FolderRejected {
    Path file = path.toAbsolutePath().normalize().resolve(name + ".lock");
    try {
      Files.createDirectories(path);
      if (!HELD.add(file)) {
        throw inUse(path, "this very process");
      }
      return lock(path, file);
    } catch (IOException e) {
      throw e instanceof FolderRejected refused
          ? refused
          : new FolderRejected(
              "data folder "
                  + path
                  + " cannot be written ("
                  + reason(e)
                  + "); make it writable, free space or choose another --data");
    }
  }

  private static RunnerFolder lock(Path path, Path file) throws IOException {
    FileChannel channel = null;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        String holder = Files.readString(file).strip();
        throw inUse(path, holder.isEmpty() ? "another process" : holder);
      }
      checkSpace(path);
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              ("pid " + ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)),
          0);
      return new RunnerFolder(path, file, channel, lock);
    } catch (IOException e) {
      if (channel != null) {
        channel.close();
      }
      HELD.remove(file);
      throw e;
    }
  }

  private static FolderRejected inUse(Path path, String holder) {
    return new FolderRejected(
        "data folder " + path + " is in use by " + holder + "; stop it or choose another --data");
  }

  /** The folder. */
  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.release();
    channel.close();
    HELD.remove(file);
  }

  /**
   * Checks for free space, so that a full disk is reported at the start and not by the first
   * session.
   */
  private static void checkSpace(Path path) throws IOException {
    Path probe = path.resolve(".space-" + ProcessHandle.current().pid());
    try {
      Files.write(probe, new byte[PROBE_BYTES]);
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  private static String reason(IOException e) {
    String text = e.getClass().getSimpleName().replace("Exception", "");
    String message = e.getMessage();
    return message == null ? text : text + ": " + message;
  }
}
