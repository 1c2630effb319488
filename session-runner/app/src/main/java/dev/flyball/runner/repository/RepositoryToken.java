package dev.flyball.runner.repository;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the token for a repository's server is stored. It is read again for each fetch, so that a
 * replaced one applies without a restart, and printing this object does not print it.
 *
 * @param variable the environment variable of the runner that has it
 * @param file the file whose first line it is
 */
public record RepositoryToken(@Nullable String variable, @Nullable Path file) {
  /** There is none: only public repositories are read. */
  public static final RepositoryToken NONE = new RepositoryToken(null, null);

  /**
   * The token; empty if none is needed.
   *
   * @throws IOException if it is not where it should be
   */
  Optional<String> read(Map<String, String> environment) throws IOException {
    if (variable != null) {
      String value = environment.getOrDefault(variable, "").strip();
      if (value.isEmpty()) {
        throw new IOException("the environment variable " + variable + " is not set");
      }
      return Optional.of(value);
    }
    if (file == null) {
      return Optional.empty();
    }
    return Optional.of(
        Files.readString(file, StandardCharsets.UTF_8)
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .findFirst()
            .orElseThrow(() -> new IOException(file + " is empty")));
  }
}
