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

  /**
   * When it began, kept now if it begins now; empty if it does, or cannot be kept.
   *
   * @throws Unreadable if it began and nobody can read when
   */
  public synchronized Optional<Instant> earlier(String source) {
    Optional<Instant> kept = read(file(source));
    if (kept.isEmpty()) {
      try {
        write(file(source), clock.instant().toString());
      } catch (IOException e) {
        LOG.warn("{}: {}; check space and permissions", file(source), e.toString());
      }
    }
    return kept;
  }

  /**
   * It is told no more. Should it be told again, that is a beginning once the broker has forgotten
   * the group too; a group that it knows goes on where it was.
   */
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

  private static Optional<Instant> read(Path file) {
    try {
      return Optional.of(Instant.parse(Files.readString(file).strip()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (DateTimeParseException e) {
      throw new Unreadable(file, "it says no moment", e);
    } catch (IOException e) {
      throw new Unreadable(file, e.toString(), e);
    }
  }

  /** Under its name only when it is whole. */
  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Path part = Files.writeString(file.resolveSibling(file.getFileName() + ".part"), text + "\n");
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** To begin at the end instead would lose what was analysed since. */
  public static final class Unreadable extends RuntimeException {
    private Unreadable(Path file, String why, Exception cause) {
      super(
          file
              + " cannot be read ("
              + why
              + "); make it readable, write the moment there from which to tell, or delete it to"
              + " begin now",
          cause);
    }
  }
}
