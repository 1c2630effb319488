package dev.flyball.writeback;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Since when this producer delivers each source's analyses to its tracker, one file for each
 * source. A broker forgets how far a consumer group has read once the group had no member for a
 * week. Without this file the group would then begin at the end, and analyses from the meantime
 * would never be delivered.
 */
final class FirstStarts {
  private static final Logger LOG = LoggerFactory.getLogger(FirstStarts.class);

  private final Path folder;
  private final InstantSource clock;

  /** Keeps its files in this folder, which is made when the first file is written. */
  FirstStarts(Path folder, InstantSource clock) {
    this.folder = folder;
    this.clock = clock;
  }

  /**
   * When delivery of this source's analyses began. If no time is recorded, records the current time
   * and returns empty; also empty if that cannot be written.
   *
   * @throws Unreadable if a time is recorded and cannot be read
   */
  synchronized Optional<Instant> earlier(String source) {
    Path file = file(source);
    try {
      return Optional.of(Instant.parse(Files.readString(file).strip()));
    } catch (NoSuchFileException e) {
      begin(file);
      return Optional.empty();
    } catch (DateTimeParseException | IOException e) {
      throw new Unreadable(file, e);
    }
  }

  /** Writes a file that gets its name only when it is complete. */
  private void begin(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Path part = file.resolveSibling(file.getFileName() + ".part");
      Files.writeString(part, clock.instant() + "\n");
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("{}: {}; check space and permissions", file, e.toString());
    }
  }

  /**
   * Delivery for this source ends. If it is configured again after the broker has forgotten the
   * group, that is a new beginning; a group that the broker still knows continues where it was.
   */
  synchronized void forget(String source) {
    try {
      Files.deleteIfExists(file(source));
    } catch (IOException e) {
      LOG.warn("{}: {}; delete it", file(source), e.toString());
    }
  }

  /** The file of a source: neither part of a key contains a dot. */
  private Path file(String source) {
    return folder.resolve(source.replace('/', '.'));
  }

  /**
   * A recorded beginning cannot be read. To begin at the end instead would lose the analyses made
   * since.
   */
  static final class Unreadable extends RuntimeException {
    private Unreadable(Path file, Exception cause) {
      super(
          file
              + " cannot be read ("
              + cause
              + "); make it readable, write the moment there from which to tell, or delete it to"
              + " begin now",
          cause);
    }
  }
}
