package dev.flyball.containment.session;

import dev.flyball.containment.CannotStart;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The machine's programs and the project's shell scripts that containments use. */
public final class Tools {
  private Tools() {}

  /** Finds a program on the runner's own PATH; the agent's PATH may differ. */
  private static Optional<String> find(String program) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("/usr/bin:/bin");
    for (String folder : (path + ":/usr/bin:/bin:/usr/sbin:/sbin").split(":")) {
      Path file = Path.of(folder, program);
      if (file.isAbsolute() && Files.isExecutable(file)) {
        return Optional.of(file.toString());
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a program's path.
   *
   * @throws CannotStart if it is missing; the message names it
   */
  public static String need(String program) throws CannotStart {
    return find(program)
        .orElseThrow(
            () -> new CannotStart("containment", program + " is missing; install util-linux"));
  }

  /**
   * The text of a script beside a class, without comments. It is passed to sh -c, so that no file
   * on disk can be changed.
   */
  public static String script(Class<?> beside, String name) {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("(?m)^#.*\n", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
