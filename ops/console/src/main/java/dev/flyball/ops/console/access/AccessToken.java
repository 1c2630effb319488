package dev.flyball.ops.console.access;

import dev.flyball.contract.text.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A token by its hash: the token itself is not kept.
 *
 * @param name who has it, as audit records name the user
 * @param sha256 the hash of the token, 64 hexadecimal digits in lower case
 * @param roles the role in each tenant, as in {@link Viewer}
 */
public record AccessToken(String name, String sha256, Map<String, AccessRole> roles) {
  /** The shortest token, in characters: a shorter one could be guessed. */
  public static final int SHORTEST = 20;

  private static final int BYTES = 32;
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

  public AccessToken {
    roles = Map.copyOf(roles);
    if (!HASH.matcher(sha256).matches()) {
      throw new IllegalArgumentException("sha256 is not 64 hexadecimal digits");
    }
    if (roles.isEmpty()) {
      throw new IllegalArgumentException("roles are empty");
    }
  }

  /**
   * The token of a plain value.
   *
   * @throws IllegalArgumentException if it is too short
   */
  public static AccessToken ofPlain(String name, String plain, Map<String, AccessRole> roles) {
    if (plain.length() < SHORTEST) {
      throw new IllegalArgumentException(
          "token has fewer than " + SHORTEST + " characters; make one with: openssl rand -hex 32");
    }
    return new AccessToken(name, hash(plain), roles);
  }

  /** The viewer with this token; every hash is compared, so the time reveals nothing. */
  static Optional<Viewer> viewer(List<AccessToken> all, String presented) {
    byte[] hash = hash(presented).getBytes(StandardCharsets.US_ASCII);
    Optional<Viewer> found = Optional.empty();
    for (AccessToken token : all) {
      if (MessageDigest.isEqual(token.sha256.getBytes(StandardCharsets.US_ASCII), hash)) {
        found = Optional.of(new Viewer(token.name(), token.roles()));
      }
    }
    return found;
  }

  /** The SHA-256 of a text in hexadecimal digits. */
  static String hash(String plain) {
    return Sha256.hex(plain, BYTES);
  }

  @Override
  public String toString() {
    return "token " + name;
  }
}
