package dev.flyball.producer.publish;

import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * This producer's name in poll-state, kept beside its history so that a restarted producer takes
 * its own lease again immediately. It is a separate file, because losing the history must not make
 * the next start wait for a takeover.
 */
public final class OwnerFile {
  private static final Pattern SHAPE = Pattern.compile("producer-[0-9a-f]{12}");

  private final Path file;
  private volatile String current;

  /**
   * Reads the name, or makes one.
   *
   * @throws StartFailure with one line if the file cannot be read or written
   */
  public OwnerFile(Path file) {
    this.file = file;
    this.current = load();
  }

  /** The name. */
  public String current() {
    return current;
  }

  /** Changes to a new name: the old one is in use, so this folder is another producer's copy. */
  public synchronized void renew() {
    current = write(random());
  }

  private String load() {
    try {
      String name = Files.exists(file) ? Files.readString(file).strip() : "";
      return SHAPE.matcher(name).matches() ? name : write(random());
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private String write(String name) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, name + "\n");
      return name;
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private StartFailure unusable(IOException e) {
    return new StartFailure(
        file
            + " cannot be used: "
            + e.getMessage()
            + "; check space and permissions, or choose another --data folder",
        e);
  }

  private static String random() {
    return "producer-" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
  }
}
