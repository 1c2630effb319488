package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.ListenAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What trackers push, and what others send to the same address. */
class PushEndpointTest {
  private static final String SECRET = "a secret of this test";
  private static final String BODY = "{\"action\":\"edited\",\"issue\":{\"number\":7}}";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final List<String> hints = new ArrayList<>();

  @AutoClose
  private final PushEndpoint endpoint =
      new PushEndpoint("push.listen", ListenAddress.LOOPBACK, () -> SECRET, this::hint);

  private synchronized Optional<Boolean> hint(String source) {
    hints.add(source);
    return switch (source) {
      case "acme/web" -> Optional.of(true);
      case "acme/elsewhere" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "GitHub, X-Hub-Signature-256, sha256=HMAC",
    "Jira, X-Hub-Signature, sha256=HMAC",
    "Linear, Linear-Signature, HMAC",
    "GitLab, X-Gitlab-Token, SECRET",
    "Azure DevOps, Authorization, BASIC",
  })
  void eachTrackerProvesTheSecretInItsWay(String tracker, String header, String value) {
    assertThat(push("acme/web", BODY, header, filled(value, SECRET))).isEqualTo(202);
    assertThat(hints).as(tracker).containsExactly("acme/web");
    assertThat(push("acme/web", BODY, header, filled(value, "another secret"))).isEqualTo(401);
    assertThat(push("acme/web", BODY, header, "")).isEqualTo(401);
    assertThat(hints).as(tracker).hasSize(1);
  }

  @Test
  void aSignatureIsThatOfItsBody() {
    String signed = filled("sha256=HMAC", SECRET);
    assertThat(push("acme/web", BODY + " ", "X-Hub-Signature-256", signed)).isEqualTo(401);
  }

  /** GitLab's header would not prove who wrote the body, so it does not replace a signature. */
  @Test
  void aWrongSignatureIsNotMadeGoodByAnotherHeader() {
    assertThat(push("acme/web", BODY, "Linear-Signature", "00", "X-Gitlab-Token", SECRET))
        .isEqualTo(401);
  }

  @ParameterizedTest
  @CsvSource({
    "acme/elsewhere, 503",
    "acme/none, 404",
    "../health, 404",
    "'', 404",
  })
  void aSourceThatIsNotPolledHereIsSaidOnlyToWhoKnowsTheSecret(String source, int status) {
    assertThat(push(source, BODY, "X-Gitlab-Token", SECRET)).isEqualTo(status);
    assertThat(push(source, BODY, "X-Gitlab-Token", "guessed")).isIn(401, 404);
  }

  @Test
  void aLongBodyIsNotKept() {
    String body = "x".repeat(PushEndpoint.MOST_BYTES + 1);
    assertThat(push("acme/web", body, "X-Gitlab-Token", SECRET)).isEqualTo(413);
    assertThat(hints).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"/health", "/metrics", "/", "/api/items"})
  void nothingElseIsServedThere(String path) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(endpoint.url()).resolve(path)).build();
    assertThat(CLIENT.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(404);
  }

  private int push(String source, String body, String... headers) {
    try {
      var request =
          HttpRequest.newBuilder(URI.create(endpoint.url() + source))
              .header("Content-Type", "application/json")
              .headers(headers)
              .POST(BodyPublishers.ofString(body))
              .build();
      return CLIENT.send(request, BodyHandlers.discarding()).statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static String filled(String value, String secret) {
    String pair =
        Base64.getEncoder().encodeToString(("any:" + secret).getBytes(StandardCharsets.UTF_8));
    return value
        .replace("HMAC", hmac(secret))
        .replace("SECRET", secret)
        .replace("BASIC", "Basic " + pair);
  }

  private static String hmac(String secret) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(BODY.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
