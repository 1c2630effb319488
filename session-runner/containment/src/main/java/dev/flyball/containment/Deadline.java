package dev.flyball.containment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;

/**
 * A deadline that this process writes and a warden or supervisor reads, in a file whose name is
 * removed once the reader holds it open. Both ends are descriptors of processes outside the agent's
 * reach.
 */
final class Deadline implements AutoCloseable {
  /**
   * Offset at which a supervisor writes a byte when it ends in order; its runner writes only before
   * that offset.
   */
  static final int VOUCHER = 32;

  private final Path file;
  private final FileChannel channel;
  private final long first;

  private Deadline(Path file, FileChannel channel, long first) {
    this.file = file;
    this.channel = channel;
    this.first = first;
  }

  /** Creates a deadline in this folder. */
  static Deadline in(Path folder, String session, long centis) throws IOException {
    Path file = folder.resolve(session + ".deadline");
    var channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    var deadline = new Deadline(file, channel, centis);
    deadline.write(centis);
    return deadline;
  }

  Path file() {
    return file;
  }

  long first() {
    return first;
  }

  /** Removes the file's name: from now on only the descriptors lead to it. */
  void hide() throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Writes the deadline twice, padded, in ASCII digits. A reader that sees two different values
   * read during a write, and reads again later.
   */
  synchronized void write(long centis) throws IOException {
    var text =
        ByteBuffer.wrap(
            String.format(Locale.ROOT, "%15d %15d\n", centis, centis)
                .getBytes(StandardCharsets.US_ASCII));
    channel.write(text, 0);
  }

  /**
   * Moves the deadline into the past, if the disk allows it: the process that reads it then ends
   * its tree.
   */
  void pass() {
    try {
      write(0);
    } catch (IOException e) {
      // Then the tree lives until the deadline that was written before, or until a sweep finds it.
    }
  }

  /** Whether the supervisor recorded, as its last act, that no process is left below it. */
  boolean vouched() {
    try {
      return channel.size() > VOUCHER;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
    Files.deleteIfExists(file);
  }
}
