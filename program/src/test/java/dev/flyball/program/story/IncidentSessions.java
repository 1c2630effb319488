package dev.flyball.program.story;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The 16 sessions of the overload that Flyball exists for: the item of each, and how many processes
 * a person counted below it.
 */
final class IncidentSessions {
  static final String FILE = "/incident-sessions.tsv";

  private IncidentSessions() {}

  /** Child processes by the item's id. */
  static Map<String, Integer> all() {
    var all = new LinkedHashMap<String, Integer>();
    text()
        .lines()
        .map(line -> line.split("\t"))
        .forEach(row -> all.put(row[0], Integer.valueOf(row[1])));
    return all;
  }

  /** The rows as they are, for an agent that reads them. */
  static String text() {
    try (InputStream in =
        Objects.requireNonNull(IncidentSessions.class.getResourceAsStream(FILE))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
