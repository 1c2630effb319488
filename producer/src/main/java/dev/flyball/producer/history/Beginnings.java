package dev.flyball.producer.history;

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
 * Since when this producer tells each source's analyses to its tracker, a file for each. A broker
 * forgets how far a group has read once nobody was in it for a week; without this the group would
 * then begin at the end, and what was analysed meanwhile would never be told.
 */
public final class Beginnings {
  private static final Logger LOG = LoggerFactory.getLogger(Beginnings.class);

  private final Path folder;
  private final InstantSource clock;

  /** In this folder, made when something is to be kept. */
  public Beginnings(Path folder, InstantSource clock) {
    this.folder = folder;
    this.clock = clock;
  }

  /** When it began, kept now if it begins now; empty if it does, or cannot be kept. */
  public synchronized Optional<Instant> earlier(String source) {
    try {
      Optional<Instant> kept = read(file(source));
      if (kept.isEmpty()) {
        write(file(source), clock.instant().toString());
      }
      return kept;
    } catch (IOException e) {
      LOG.warn("{}: {}; check space and permissions", file(source), e.toString());
      return Optional.empty();
    }
  }

  /** It is told no more: should it be told again, that is a beginning. */
  public synchronized void forget(String source) {
    try {
      Files.deleteIfExists(file(source));
    } catch (IOException e) {
      LOG.warn("{}: {}; delete it", file(source), e.toString());
    }
  }

  /** Neither part of a key has a dot. */
  private Path file(String source) {
    return folder.resolve(source.replace('/', '.'));
  }

  private static Optional<Instant> read(Path file) throws IOException {
    try {
      return Optional.of(Instant.parse(Files.readString(file).strip()));
    } catch (NoSuchFileException | DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** Under its name only when it is whole. */
  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path part = Files.writeString(file.resolveSibling(file.getFileName() + ".part"), text + "\n");
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
  }
}
