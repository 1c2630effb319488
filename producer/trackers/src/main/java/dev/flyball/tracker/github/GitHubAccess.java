package dev.flyball.tracker.github;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;

/** How requests are sent to GitHub, for issues and for comments. */
public final class GitHubAccess {
  private GitHubAccess() {}

  /** Sends no request yet; the token is read again for each request. */
  public static TrackerHttp http(
      SourceConfig.GitHub config, InstantSource clock, TrackerLimits limits) {
    return new TrackerHttp(config.url(), () -> headers(config.token()), clock, limits);
  }

  private static Map<String, String> headers(Credential token) {
    var headers = new TreeMap<String, String>();
    headers.put("Accept", "application/vnd.github+json");
    headers.put("X-GitHub-Api-Version", "2022-11-28");
    Tokens.read(token).ifPresent(secret -> headers.put("Authorization", "Bearer " + secret));
    return headers;
  }
}
