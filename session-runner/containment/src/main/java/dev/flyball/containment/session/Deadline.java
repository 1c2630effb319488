package dev.flyball.containment.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A deadline that this process writes and a warden or supervisor reads, in a file whose name is
 * removed once the reader holds it open. Both ends are descriptors of processes outside the agent's
 * reach. Any thread may call it.
 */
public final class Deadline implements AutoCloseable {
  /**
   * Offset at which a supervisor writes a byte when it ends in order; its runner writes only before
   * that offset.
   */
  static final int ORDERLY_END = 32;

  private final Path file;
  private final FileChannel channel;

  /** Whether it stays in the past for good. */
  private boolean passed;

  /** Whether the supervisor ended in order; null until that was read. */
  private @Nullable Boolean endedInOrder;

  private Deadline(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /** Creates a session's deadline, at this time since boot in centiseconds. */
  public static Deadline in(SessionFiles files, long centis) throws IOException {
    Path file = files.deadline();
    var channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    var deadline = new Deadline(file, channel);
    deadline.write(centis);
    return deadline;
  }

  /** The file, which its reader has to open before {@link #hide}. */
  public Path file() {
    return file;
  }

  /**
   * Removes the file's name: from now on only the descriptors lead to it.
   *
   * @throws UncheckedIOException if it cannot be removed; its reader runs already
   */
  public void hide() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException("a deadline's file cannot be removed", e);
    }
  }

  /**
   * Moves the deadline; may wait for a disk.
   *
   * @param centis time since boot
   * @return false if it has passed for good, or the disk failed
   */
  public synchronized boolean moveTo(long centis) {
    try {
      if (!passed) {
        write(centis);
      }
      return !passed;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Moves the deadline into the past for good, if the disk allows it: its reader starts nothing
   * more, and ends its tree.
   */
  public synchronized void pass() {
    passed = true;
    try {
      write(0);
    } catch (IOException e) {
      // The reader has exited, or the tree lives until the deadline that was written before, or
      // until a kill or a sweep finds it.
    }
  }

  /**
   * Whether the supervisor recorded, as its last act, that no process is left below it. Ask only
   * after it has exited: the first answer is kept.
   */
  public synchronized boolean endedInOrder() {
    Boolean known = endedInOrder;
    if (known == null) {
      known = read();
      endedInOrder = known;
    }
    return known;
  }

  private boolean read() {
    try {
      return channel.size() > ORDERLY_END;
    } catch (IOException e) {
      return false;
    }
  }

  /** Writes twice, padded, in ASCII digits: a reader that sees two different values reads again. */
  private void write(long centis) throws IOException {
    var text =
        ByteBuffer.wrap(
            String.format(Locale.ROOT, "%15d %15d\n", centis, centis)
                .getBytes(StandardCharsets.US_ASCII));
    channel.write(text, 0);
  }

  /** Closes the file once its reader has exited; {@link #endedInOrder} still answers. */
  @Override
  public synchronized void close() {
    endedInOrder();
    try {
      channel.close();
      Files.deleteIfExists(file);
    } catch (IOException e) {
      // Its name is removed already, or by the next runner on this folder.
      passed = true;
    }
  }
}
