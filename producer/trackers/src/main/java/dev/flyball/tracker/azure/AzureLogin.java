package dev.flyball.tracker.azure;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** How a token is sent to Azure DevOps. */
final class AzureLogin {
  private AzureLogin() {}

  /**
   * The login header. A personal access token is a password without a user; a JWT of Entra ID is a
   * bearer token.
   */
  static Map<String, String> header(String token) {
    boolean jwt = token.chars().filter(c -> c == '.').count() == 2;
    return Map.of(
        "Authorization",
        jwt
            ? "Bearer " + token
            : "Basic "
                + Base64.getEncoder()
                    .encodeToString((":" + token).getBytes(StandardCharsets.UTF_8)));
  }
}
