package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Locks a data folder for this process. The kernel releases the lock when the process ends, however
 * it ends, so no stale lock can remain.
 */
public final class DataLock implements AutoCloseable {
  private static final String NAME = "flyball.lock";

  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Makes the folder if it is missing and locks it.
   *
   * @throws StartFailure if another process holds it or it cannot be written
   */
  public static DataLock take(Path folder) {
    return tryTake(folder)
        .orElseThrow(() ->
            new StartFailure(
                "data folder "
                    + folder
                    + " is in use by another flyball; stop that one, or use another folder with"
                    + " --data"));
  }

  /**
   * Makes the folder if it is missing and locks it; empty if another process holds it.
   *
   * @throws StartFailure if it cannot be written
   */
  public static Optional<DataLock> tryTake(Path folder) {
    FileChannel channel = open(folder);
    try {
      FileLock lock = tryLock(channel);
      if (lock != null) {
        LockOwner.tell(folder);
        return Optional.of(new DataLock(channel));
      }
      channel.close();
      return Optional.empty();
    } catch (IOException e) {
      throw unwritable(folder, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static FileChannel open(Path folder) {
    try {
      Files.createDirectories(folder);
      return FileChannel.open(
          folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw unwritable(folder, e);
    }
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException heldByThisProcess) {
      return null;
    }
  }

  private static StartFailure unwritable(Path folder, IOException e) {
    return new StartFailure(
        "data folder "
            + folder
            + " cannot be written ("
            + e.getClass().getSimpleName()
            + ": "
            + e.getMessage()
            + "); make it writable, or use another folder with --data",
        e);
  }
}
