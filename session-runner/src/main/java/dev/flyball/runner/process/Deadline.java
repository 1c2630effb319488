package dev.flyball.runner.process;

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
 * A deadline that this process writes and a warden reads, in a file that loses its name once the
 * warden holds it open. Both ends are descriptors of processes outside the agent's namespace, so
 * the agent has no way to it.
 */
final class Deadline implements AutoCloseable {
  /** Where a supervisor writes a byte when it ends in order; its runner writes only before. */
  static final int VOUCHER = 32;

  private final Path file;
  private final FileChannel channel;
  private final long first;

  private Deadline(Path file, FileChannel channel, long first) {
    this.file = file;
    this.channel = channel;
    this.first = first;
  }

  /** A new one in this folder. */
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

  /** Takes its name away: from now on only the descriptors lead to it. */
  void hide() throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Twice, padded, in ASCII digits: a reader that sees the two differ was in the middle of a write
   * and looks again later.
   */
  synchronized void write(long centis) throws IOException {
    var text =
        ByteBuffer.wrap(
            String.format(Locale.ROOT, "%15d %15d\n", centis, centis)
                .getBytes(StandardCharsets.US_ASCII));
    channel.write(text, 0);
  }

  /** Moves it into the past, if the disk lets it: what reads it ends its tree. */
  void pass() {
    try {
      write(0);
    } catch (IOException e) {
      // Then the tree lives until the deadline that was written before, or until it is found.
    }
  }

  /** Whether the supervisor has written, as its last act, that no process is left below it. */
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
