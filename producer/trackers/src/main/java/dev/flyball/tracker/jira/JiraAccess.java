package dev.flyball.tracker.jira;

import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How requests are sent to Jira, for issues and for comments. */
final class JiraAccess {
  private JiraAccess() {}

  /** Sends no request yet; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.Jira config, InstantSource clock, TrackerLimits limits) {
    URI base = URI.create(config.url().toString().replaceAll("/+$", ""));
    return new TrackerHttp(base, () -> headers(config), clock, limits);
  }

  private static Map<String, String> headers(SourceConfig.Jira config) {
    return Tokens.read(config.token())
        .map(token -> Map.of("Authorization", login(config.user(), token)))
        .orElse(Map.of());
  }

  private static String login(@Nullable String user, String token) {
    return user == null
        ? "Bearer " + token
        : "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + token).getBytes(StandardCharsets.UTF_8));
  }
}
