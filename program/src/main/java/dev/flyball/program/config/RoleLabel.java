package dev.flyball.program.config;

import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A role's label when none is configured: the host's name and a suffix that stays with the data
 * folder.
 */
final class RoleLabel {
  private static final int MAX_HOST = 40;

  private RoleLabel() {}

  /** The label kept in the folder, made on first use. */
  static String of(Path folder) {
    Path file = folder.resolve("role-id");
    try {
      if (Files.exists(file)) {
        String kept = Files.readString(file).strip();
        if (kept.matches("[A-Za-z0-9._-]{1,64}")) {
          return kept;
        }
      }
      String made =
          host()
              + "-"
              + String.format(Locale.ROOT, "%04x", ThreadLocalRandom.current().nextInt(1 << 16));
      Files.createDirectories(folder);
      Files.writeString(file, made + "\n");
      return made;
    } catch (IOException e) {
      throw new StartFailure(
          "data folder "
              + folder
              + " cannot be written ("
              + e.getMessage()
              + "); make it writable, or use another with --data",
          e);
    }
  }

  private static String host() {
    try {
      String name = InetAddress.getLocalHost().getHostName().replaceAll("[^A-Za-z0-9.-]", "-");
      return name.isEmpty() ? "host" : name.substring(0, Math.min(MAX_HOST, name.length()));
    } catch (UnknownHostException e) {
      return "host";
    }
  }
}
