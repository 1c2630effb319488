package dev.flyball.ops.console.access;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Browsers that are signed in. They are kept in memory only, by the hash of a random value; a
 * restart of the console signs everybody out. Any thread.
 */
final class SignIns {
  /** Most of them; the oldest is signed out. */
  static final int MOST = 1_000;

  /** Most of one viewer, whose oldest is signed out: it must not sign out those of others. */
  static final int MOST_OF_ONE = 100;

  /** After this time a browser must sign in again. */
  static final Duration AGE = Duration.ofHours(12);

  private static final int BYTES = 32;

  private final SecureRandom random = new SecureRandom();

  /** Written and read under this object's monitor. */
  private final Map<String, SignIn> signIns = new LinkedHashMap<>();

  private record SignIn(Viewer viewer, Instant until) {}

  /** Signs a browser in and returns the value that it presents from now on. */
  synchronized String begin(Viewer viewer, Instant now) {
    signIns.values().removeIf(each -> each.until().isBefore(now));
    List<String> own =
        signIns.entrySet().stream()
            .filter(each -> each.getValue().viewer().name().equals(viewer.name()))
            .map(Map.Entry::getKey)
            .toList();
    if (own.size() >= MOST_OF_ONE) {
      signIns.remove(own.getFirst());
    } else if (signIns.size() >= MOST) {
      signIns.remove(signIns.keySet().iterator().next());
    }
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String value = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    signIns.put(AccessToken.hash(value), new SignIn(viewer, now.plus(AGE)));
    return value;
  }

  /** The viewer who presents this value; empty if it is not or no longer signed in. */
  synchronized Optional<Viewer> viewer(String value, Instant now) {
    return Optional.ofNullable(signIns.get(AccessToken.hash(value)))
        .filter(each -> each.until().isAfter(now))
        .map(SignIn::viewer);
  }

  synchronized void end(String value) {
    signIns.remove(AccessToken.hash(value));
  }
}
