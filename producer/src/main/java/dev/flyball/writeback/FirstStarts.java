package dev.flyball.writeback;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Since when this producer delivers each source's analyses to its tracker, one file for each
 * source. A broker forgets how far a consumer group has read once the group had no member for a
 * week. Without this file the group would then begin at the end, and analyses from the meantime
 * would never be delivered.
 *
 * @param folder of the files; made when the first file is written
 */
record FirstStarts(Path folder, InstantSource clock) {
  private static final Logger LOG = LoggerFactory.getLogger(FirstStarts.class);

  /**
   * When delivery of this source's analyses began: now, if it never did.
   *
   * @throws UncheckedIOException if the time can be neither read nor written
   * @throws IllegalStateException if the file holds something else
   */
  Instant of(String source) {
    Path file = file(source);
    try {
      if (!Files.exists(file)) {
        Files.createDirectories(folder);
        // It gets its name only when it is complete.
        Path part = folder.resolve(file.getFileName() + ".part");
        Files.writeString(part, clock.instant() + "\n");
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      }
      return Instant.parse(Files.readString(file).strip());
    } catch (DateTimeParseException e) {
      throw new IllegalStateException(
          file + " holds no time; write the moment there from which to deliver, or delete it", e);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be used; check space and permissions", e);
    }
  }

  /**
   * Delivery for this source ends. If it is configured again after the broker has forgotten the
   * group, that is a new beginning; a group that the broker still knows continues where it was.
   */
  void forget(String source) {
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
}
