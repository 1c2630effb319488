package dev.flyball.tracker.http;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads credentials from where they are stored, again at each call. Every message names the place,
 * never a part of the secret.
 */
public final class Tokens {
  private static final Logger LOG = LoggerFactory.getLogger(Tokens.class);

  /** Longer than any tracker's token; a longer file is something else and is not read. */
  static final int MAX_LENGTH = 8_192;

  /** Files whose permissions were warned about; as many as are configured. */
  private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

  private Tokens() {}

  /**
   * The secret; empty where the configuration names none.
   *
   * @throws SourceFailure of category AUTH if it does not exist or cannot be a header's value
   */
  public static Optional<String> read(Credential token) {
    return read(token, System.getenv());
  }

  /**
   * A token as a request's header; none where the configuration names no token.
   *
   * @param value the header's value with the token in it
   */
  public static Map<String, String> header(
      Credential token, String name, UnaryOperator<String> value) {
    return read(token).map(secret -> Map.of(name, value.apply(secret))).orElse(Map.of());
  }

  /** With another environment, as `doctor` passes it. */
  public static Optional<String> read(Credential token, Map<String, String> environment) {
    return secret(token, environment, "token").map(value -> usable(value, place(token, "token")));
  }

  /**
   * A secret that may have any characters.
   *
   * @param what it is, for messages
   * @throws SourceFailure of category AUTH if it does not exist
   */
  public static Optional<String> secret(
      Credential secret, Map<String, String> environment, String what) {
    return switch (secret) {
      case Credential.None _ -> Optional.empty();
      case Credential.Environment(String variable) -> {
        String value = environment.getOrDefault(variable, "").strip();
        if (value.isEmpty()) {
          throw refused(
              place(secret, what)
                  + " with the "
                  + what
                  + " is not set; set it and start Flyball again");
        }
        yield Optional.of(value);
      }
      case Credential.InFile(Path file) -> Optional.of(firstLine(file, what));
      case Credential.Command(String line) -> Optional.of(TokenCommand.of(line).token());
    };
  }

  private static String place(Credential secret, String what) {
    return switch (secret) {
      case Credential.Environment(String variable) -> "the environment variable " + variable;
      case Credential.InFile(Path file) -> "the " + what + " file " + file;
      case Credential.None _, Credential.Command _ -> "the " + what;
    };
  }

  private static String firstLine(Path file, String what) {
    String place = place(new Credential.InFile(file), what);
    byte[] bytes;
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) {
        throw refused(place + " is no file; name a file with the " + what + " in its first line");
      }
      try (InputStream in = Files.newInputStream(file)) {
        bytes = in.readNBytes(MAX_LENGTH + 1);
      }
      warnIfOpenToAll(file);
    } catch (NoSuchFileException e) {
      throw refused(place + " does not exist; write the " + what + " into it");
    } catch (IOException e) {
      throw refused(place + " is not readable for this user; check its permissions");
    }
    if (bytes.length > MAX_LENGTH) {
      throw refused(
          place + " is too long for a " + what + "; name a file with nothing but the " + what);
    }
    String line = new String(bytes, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    if (line.isBlank()) {
      throw refused(place + " has nothing in its first line; write the " + what + " there");
    }
    return line.strip();
  }

  /** The token, if it is printable ASCII without white space, as every tracker's is. */
  static String usable(String token, String place) {
    if (!token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw refused(
          place + " has white space, a line break or a character that no token has; copy it again");
    }
    return token;
  }

  private static void warnIfOpenToAll(Path file) throws IOException {
    boolean open;
    try {
      open = Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (UnsupportedOperationException e) {
      return; // This file system has no such permissions.
    }
    if (open && WARNED.add(file)) {
      LOG.warn("token file {} is readable for every user; chmod 600 it", file);
    }
  }

  static SourceFailure refused(String reason) {
    return new SourceFailure(Category.AUTH, reason);
  }
}
