package shop;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;

/** The settings file; a variable of the environment overrides a key. */
public final class Settings {
  private final Properties values = new Properties();

  public static Settings read(Path file) throws IOException {
    Settings settings = new Settings();
    try (Reader reader = Files.newBufferedReader(file)) {
      settings.values.load(reader);
    }
    return settings;
  }

  public String text(String key) {
    String override = System.getenv("SHOP_" + key.replace('.', '_').toUpperCase(Locale.ROOT));
    String value = override == null ? values.getProperty(key) : override;
    if (value == null) {
      throw new IllegalArgumentException("setting " + key + " is missing");
    }
    return value.strip();
  }

  public int number(String key) {
    return Integer.parseInt(text(key));
  }
}
