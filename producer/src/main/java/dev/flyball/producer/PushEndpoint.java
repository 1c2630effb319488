package dev.flyball.producer;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.webhook.WebhookSignature;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.OriginRules;
import dev.flyball.ops.telemetry.Telemetry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes webhooks of trackers at {@code POST /push/TENANT/SOURCE} and polls that source soon. A push
 * is only a hint: nothing of its body is used but its signature, so a forged, lost, repeated or
 * reordered one changes nothing but the time of a poll. It listens on a separate address that
 * serves nothing else, because trackers usually are on the internet.
 *
 * <p>The secret is proved as each tracker can: GitHub, Jira and Linear sign the body with it,
 * GitLab sends it in a header, Azure DevOps as the password of basic authentication.
 */
public final class PushEndpoint implements AutoCloseable {
  /** Longest body; GitHub's are the largest, and those of issues are far below this. */
  static final int MOST_BYTES = 1 << 20;

  private static final int AT_A_TIME = 16;

  private static final String PATH = "/push/";

  private final AdminServer server;
  private final Supplier<String> secret;
  private final Function<String, Optional<Boolean>> hints;
  private final Semaphore room = new Semaphore(AT_A_TIME);

  /**
   * Starts to listen.
   *
   * @param key the configuration key of the address, named in the error if the port is taken
   * @param secret read again for each push, so that a replaced one applies immediately
   * @param hints {@link ProducerApp#hint}
   * @throws dev.flyball.ops.telemetry.StartFailure if it cannot listen on the address
   */
  public PushEndpoint(
      String key,
      ListenAddress listen,
      Supplier<String> secret,
      Function<String, Optional<Boolean>> hints) {
    this.secret = secret;
    this.hints = hints;
    this.server =
        AdminServer.start(
            new AdminAddress(key, listen, OriginRules.anyHost(), null),
            _ -> {
              throw new HttpProblem(404, "there is nothing at this path");
            },
            new Telemetry(),
            Health::healthy);
    server.openPost(PATH, this::take);
  }

  /** Where trackers send to, without a source's key. */
  public String url() {
    return server.url() + PATH;
  }

  @Override
  public void close() {
    server.close();
  }

  private void take(HttpExchange exchange) throws IOException {
    if (!room.tryAcquire()) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      throw new HttpProblem(503, "too many pushes at a time; polling finds the change");
    }
    try {
      byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
      if (body.length > MOST_BYTES) {
        throw new HttpProblem(413, "the body is longer than " + (MOST_BYTES >> 20) + " MiB");
      }
      if (!proves(exchange.getRequestHeaders(), body, bytes(secret.get()))) {
        throw new HttpProblem(401, "the secret or the signature is not that of push.secret");
      }
      String source = exchange.getRequestURI().getPath().substring(PATH.length());
      boolean taken =
          hints
              .apply(source)
              .orElseThrow(
                  () -> new HttpProblem(404, "no such source; the path is /push/TENANT/SOURCE"));
      if (!taken) {
        // A proxy may send it to the next producer.
        throw new HttpProblem(503, "another producer polls this source");
      }
    } finally {
      room.release();
    }
    AdminServer.answer(exchange, 202, "text/plain; charset=utf-8", "polled soon\n");
  }

  /**
   * Whether a request's sender knows the secret. Headers as the trackers' documentation has them:
   * docs.github.com "Validating webhook deliveries", developer.atlassian.com "Webhooks",
   * linear.app/developers/webhooks, docs.gitlab.com "Webhooks", learn.microsoft.com "Web Hooks".
   */
  static boolean proves(Headers headers, byte[] body, byte[] secret) {
    String signature = signature(headers);
    if (signature != null) {
      return same(
          bytes(signature), bytes(HexFormat.of().formatHex(WebhookSignature.hmac(secret, body))));
    }
    String token = headers.getFirst("X-Gitlab-Token");
    return token == null
        ? same(password(headers.getFirst("Authorization")), secret)
        : same(bytes(token), secret);
  }

  /** The hexadecimal HMAC-SHA256 of the body that a header has; null if none has one. */
  private static @Nullable String signature(Headers headers) {
    for (String name : new String[] {"X-Hub-Signature-256", "X-Hub-Signature"}) {
      String value = headers.getFirst(name);
      if (value != null && value.startsWith("sha256=")) {
        return value.substring("sha256=".length());
      }
    }
    return headers.getFirst("Linear-Signature");
  }

  /** The password of basic authentication; empty if there is none. */
  private static byte[] password(@Nullable String authorization) {
    if (authorization == null || !authorization.startsWith("Basic ")) {
      return new byte[0];
    }
    try {
      byte[] pair = Base64.getDecoder().decode(authorization.substring("Basic ".length()).strip());
      String text = new String(pair, StandardCharsets.UTF_8);
      return bytes(text.substring(text.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  /** In a time that does not depend on where they differ. */
  private static boolean same(byte[] given, byte[] expected) {
    return MessageDigest.isEqual(given, expected);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
