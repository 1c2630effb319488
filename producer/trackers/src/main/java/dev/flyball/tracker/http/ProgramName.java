package dev.flyball.tracker.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The name and version of this program, so that a tracker's administrator knows what sends the
 * requests.
 */
final class ProgramName {
  /** The value of the header User-Agent. */
  static final String NAME_AND_VERSION = "flyball/" + version();

  private ProgramName() {}

  private static String version() {
    var built = new Properties();
    try (InputStream file =
        ProgramName.class.getResourceAsStream("/dev/flyball/tracker/version.properties")) {
      if (file != null) {
        built.load(file);
      }
    } catch (IOException e) {
      // Without a version the name is still right.
    }
    return built.getProperty("version", "unknown");
  }
}
