package shop.account;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** Hashes passwords and gives out links for forgotten ones. */
public final class Passwords {
  private static final Duration VALID = Duration.ofHours(1);

  private record Link(String mail, Instant until) {}

  private final Map<String, Link> links = new HashMap<>();
  private final SecureRandom random = new SecureRandom();
  private final Clock clock;

  public Passwords(Clock clock) {
    this.clock = clock;
  }

  static String hash(String password) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(password.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The token of a reset link. */
  public String forgotten(String mail) {
    String token = Long.toHexString(random.nextLong());
    links.put(token, new Link(mail, clock.instant().plus(VALID)));
    return token;
  }

  /** Whose password the link resets, or null when it is too old. */
  public String redeem(String token) {
    Link link = links.get(token);
    return link == null || link.until().isBefore(clock.instant()) ? null : link.mail();
  }
}
