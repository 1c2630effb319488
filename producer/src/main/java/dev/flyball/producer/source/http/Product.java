package dev.flyball.producer.source.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** Who asks, so that a tracker's administrator knows whom to talk to. */
final class Product {
  /** As the header User-Agent wants it. */
  static final String NAME_AND_VERSION = "flyball/" + version();

  private Product() {}

  private static String version() {
    var built = new Properties();
    try (InputStream file =
        Product.class.getResourceAsStream("/dev/flyball/producer/version.properties")) {
      if (file != null) {
        built.load(file);
      }
    } catch (IOException e) {
      // Without a version it is still us.
    }
    return built.getProperty("version", "unknown");
  }
}
