package dev.flyball.program.config;

import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.AccessTokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the tokens of the console; of a plain token only its hash is kept. */
final class TokenEntries {
  static final String TOKENS = "console.tokens";

  private static final int MOST = 1_000;

  private TokenEntries() {}

  /**
   * All tokens.
   *
   * @throws ConfigurationError with every problem found
   */
  static AccessTokens of(Configuration configuration, Map<String, String> environment) {
    var problems = new ArrayList<String>();
    var tokens = new ArrayList<AccessToken>();
    var names = new HashSet<String>();
    for (Map<String, Setting> entry : configuration.list(TOKENS)) {
      ListEntry.read(
              "a token of the console",
              entry,
              ConfiguredToken.class,
              written -> token(written, entry, environment, names),
              problems)
          .ifPresent(tokens::add);
    }
    if (tokens.size() > MOST) {
      problems.add(TOKENS + ": " + tokens.size() + " tokens, at most " + MOST + " are possible");
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return new AccessTokens(tokens);
  }

  private static AccessToken token(
      ConfiguredToken written,
      Map<String, Setting> entry,
      Map<String, String> environment,
      Set<String> names) {
    if (!names.add(written.name())) {
      throw new IllegalArgumentException("name " + written.name() + " is used twice");
    }
    int places =
        (written.sha256() == null ? 0 : 1)
            + (written.variable() == null ? 0 : 1)
            + (written.file() == null ? 0 : 1);
    if (places != 1) {
      throw new IllegalArgumentException(
          "name " + written.name() + " needs exactly one of sha256, token-env and token-file");
    }
    if (written.sha256() != null) {
      return new AccessToken(written.name(), written.sha256(), written.byTenant());
    }
    String plain =
        written.variable() != null
            ? variable(written.variable(), environment)
            : firstLine(base(entry).resolve(String.valueOf(written.file())));
    return AccessToken.ofPlain(written.name(), plain, written.byTenant());
  }

  private static Path base(Map<String, Setting> entry) {
    Setting file = entry.get("token-file");
    return file == null ? Path.of("").toAbsolutePath() : file.base();
  }

  static String variable(String name, Map<String, String> environment) {
    String value = environment.getOrDefault(name, "").strip();
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "the environment variable " + name + " is empty; set it to the secret");
    }
    return value;
  }

  static String firstLine(Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          file + " cannot be read; put the secret into its first line");
    }
  }

  static List<Configuration.Row> rows(Configuration configuration) {
    return ListEntry.rows(configuration, TOKENS, ConfiguredToken.class).toList();
  }
}
