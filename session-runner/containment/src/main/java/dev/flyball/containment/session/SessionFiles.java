package dev.flyball.containment.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of one session, which only this user can read: the agent's standard input, what the
 * warden starts, and the deadline.
 *
 * <p>This process writes the deadline and a warden reads it, in a file whose name is removed once
 * the reader holds it open. Both ends are descriptors of processes outside the agent's reach. Any
 * thread may call it.
 */
public final class SessionFiles implements AutoCloseable {
  /** Offset of the byte that a supervisor writes at an orderly end; its runner writes before it. */
  static final int ORDERLY_END = 32;

  private static final String OLD_FILES = "*.{deadline,prompt,launch,half*}";

  private final Path deadline;
  private final Path prompt;
  private final Path launch;
  private final FileChannel channel;

  /** Whether the deadline stays in the past for good. */
  private boolean passed;

  /** Whether the supervisor ended in order; null until that was read. */
  private @Nullable Boolean endedInOrder;

  private SessionFiles(Path folder, String session) throws IOException {
    this.deadline = folder.resolve(session + ".deadline");
    this.prompt = folder.resolve(session + ".prompt");
    this.launch = folder.resolve(session + ".launch");
    this.channel = create(deadline);
  }

  /** Creates the folder, for this user only, and removes what a dead predecessor left in it. */
  public static void prepare(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, OLD_FILES)) {
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * Creates a session's deadline; the other files follow.
   *
   * @param centis the deadline, in centiseconds since boot
   */
  static SessionFiles create(Path folder, String session, long centis) throws IOException {
    var files = new SessionFiles(folder.toAbsolutePath(), session);
    files.writeDeadline(centis);
    return files;
  }

  /** The deadline's file, which its reader has to open before {@link #hideDeadline}. */
  Path deadline() {
    return deadline;
  }

  /** The agent's standard input: a file, so that one that is never read blocks no process. */
  public Path prompt() {
    return prompt;
  }

  /** What a warden starts; it removes the file when it reads it. */
  public Path launch() {
    return launch;
  }

  /** Writes the agent's standard input. */
  void writePrompt(String text) throws IOException {
    write(prompt, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes what a warden starts. */
  public void writeLaunch(byte[] content) throws IOException {
    write(launch, content);
  }

  private static void write(Path file, byte[] content) throws IOException {
    try (var channel = create(file)) {
      var bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  private static FileChannel create(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /**
   * Removes the deadline's name: from now on only the descriptors lead to it.
   *
   * @throws UncheckedIOException if it cannot be removed; its reader runs already
   */
  void hideDeadline() {
    try {
      Files.deleteIfExists(deadline);
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
  synchronized boolean moveDeadline(long centis) {
    try {
      if (!passed) {
        writeDeadline(centis);
      }
      return !passed;
    } catch (IOException e) {
      return false;
    }
  }

  /** Puts the deadline into the past, if the disk allows it: its reader ends its tree. */
  public synchronized void passDeadline() {
    passed = true;
    try {
      writeDeadline(0);
    } catch (IOException e) {
      // The reader has exited, or the tree lives until the deadline that was written before, or
      // until a kill or a sweep finds it.
    }
  }

  /** Writes twice, padded, in ASCII digits: a reader that sees two different values reads again. */
  private void writeDeadline(long centis) throws IOException {
    var text =
        ByteBuffer.wrap(
            String.format(Locale.ROOT, "%15d %15d\n", centis, centis)
                .getBytes(StandardCharsets.US_ASCII));
    channel.write(text, 0);
  }

  /**
   * Whether the supervisor recorded, as its last act, that no process is left below it. Ask only
   * after it has exited: the first answer is kept.
   */
  public synchronized boolean endedInOrder() {
    Boolean known = endedInOrder;
    if (known == null) {
      known = readEnd();
      endedInOrder = known;
    }
    return known;
  }

  private boolean readEnd() {
    try {
      return channel.size() > ORDERLY_END;
    } catch (IOException e) {
      return false;
    }
  }

  /** Removes the files after the session's first process; {@link #endedInOrder} still answers. */
  @Override
  public synchronized void close() {
    endedInOrder();
    passed = true;
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing is written to it any more.
    }
    for (Path file : new Path[] {deadline, prompt, launch}) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        // The next runner on this folder removes it.
        file.toFile().deleteOnExit();
      }
    }
  }
}
