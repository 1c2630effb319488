package dev.flyball.runner.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A folder that one process holds. The kernel lets go of the lock when its holder dies, however it
 * dies.
 */
public final class DataFolder implements AutoCloseable {
  private static final int PROBE_BYTES = 64 * 1024;

  private final Path path;
  private final FileChannel channel;
  private final FileLock lock;

  private DataFolder(Path path, FileChannel channel, FileLock lock) {
    this.path = path;
    this.channel = channel;
    this.lock = lock;
  }

  /**
   * Makes the folder if it is missing, and holds it.
   *
   * @param name what it is held as: one folder may be held once under each name
   * @throws FolderRefused if it cannot be written, is full or is held by another process
   */
  public static DataFolder hold(Path path, String name) throws FolderRefused {
    Path file = path.resolve(name + ".lock");
    try {
      Files.createDirectories(path);
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        String holder = Files.readString(file).strip();
        channel.close();
        throw new FolderRefused(
            "data folder "
                + path
                + " is in use by "
                + (holder.isEmpty() ? "another process" : holder)
                + "; stop it or choose another --data");
      }
      checkSpace(path);
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              ("pid " + ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)),
          0);
      return new DataFolder(path, channel, lock);
    } catch (FolderRefused e) {
      throw e;
    } catch (IOException e) {
      throw new FolderRefused(
          "data folder "
              + path
              + " cannot be written ("
              + reason(e)
              + "); make it writable, free space or choose another --data");
    }
  }

  /** The folder. */
  public Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    lock.release();
    channel.close();
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /** A full disk is told at the start and not by the first session. */
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
