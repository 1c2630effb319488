package dev.flyball.ops.console.access;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The configured tokens.
 *
 * @param all none if every client is an administrator
 */
public record AccessTokens(List<AccessToken> all) {
  /** No token: every client is an administrator. */
  public static final AccessTokens NONE = new AccessTokens(List.of());

  public AccessTokens {
    all = List.copyOf(all);
  }

  /** The viewer with this token; every hash is compared, so the time reveals nothing. */
  Optional<Viewer> viewer(String presented) {
    byte[] hash = AccessToken.digest(presented.getBytes(StandardCharsets.UTF_8));
    Optional<Viewer> found = Optional.empty();
    for (AccessToken token : all) {
      if (token.matches(hash)) {
        found = Optional.of(new Viewer(token.name(), token.roles()));
      }
    }
    return found;
  }
}
