package dev.flyball.program.roles;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Locks a data folder for this process. The kernel releases the lock when the process ends, however
 * it ends, so no stale lock can remain. The file names the process that last held the lock: others
 * must not try the lock to find out, because trying holds it, and a start at that moment would
 * fail. The process that holds it must not read the file: closing it would release the lock.
 */
public final class DataLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataLock.class);
  private static final String NAME = "flyball.lock";
  private static final String UNKNOWN = "unknown";

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
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (locked(channel)) {
        sign(channel, folder);
        return Optional.of(new DataLock(channel));
      }
      channel.close();
      return Optional.empty();
    } catch (IOException e) {
      String why = " cannot be written (" + e.getClass().getSimpleName() + ": " + e.getMessage();
      String fix = "); make it writable, or use another folder with --data";
      throw new StartFailure("data folder " + folder + why + fix, e);
    }
  }

  private static boolean locked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
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

  private static void sign(FileChannel channel, Path folder) {
    try {
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(RecordJson.bytes(Identity.own())));
    } catch (IOException e) {
      // The lock holds without the name, for example on a full disk.
      LOG.warn("{} does not say whose it is: {}", folder, e.toString());
    }
  }

  /**
   * Whether the process that last locked the folder is surely dead; false also where that cannot be
   * known, as from another container.
   */
  public static boolean ownerGone(Path folder) {
    Identity own = Identity.own();
    return read(folder.resolve(NAME), Identity.class)
        .filter(owner ->
            (!own.pidNamespace().equals(UNKNOWN) && own.pidNamespace().equals(owner.pidNamespace()))
                || !own.bootId().equals(owner.bootId()))
        .filter(owner -> !owner.alive())
        .isPresent();
  }

  /** What a file of a data folder says, as JSON; empty if it is absent or not whole. */
  static <T> Optional<T> read(Path file, Class<T> type) {
    try {
      return Optional.of(RecordJson.read(Files.readString(file), type));
    } catch (IOException | UnreadableRecord nothing) {
      return Optional.empty();
    }
  }
}
