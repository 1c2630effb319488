package dev.flyball.contract.webhook;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): an id that a repeat keeps,
 * the time of this try, and where a secret is configured a signature over both and the body.
 */
public final class WebhookSignature {
  private static final String PREFIX = "whsec_";

  private WebhookSignature() {}

  /**
   * The headers of one request.
   *
   * @param secret {@code whsec_} and base64; empty for no signature
   * @param id of the message, the same for each try
   * @param now the time of this try
   * @throws IllegalArgumentException if the secret has another form; the message does not show it
   */
  public static Map<String, String> headers(
      Optional<String> secret, String id, Instant now, byte[] body) {
    var headers = new TreeMap<String, String>();
    String time = Long.toString(now.getEpochSecond());
    headers.put("webhook-id", id);
    headers.put("webhook-timestamp", time);
    secret.ifPresent(text ->
        headers.put("webhook-signature", "v1," + signature(key(text), id + "." + time, body)));
    return headers;
  }

  private static byte[] key(String secret) {
    try {
      byte[] key =
          Base64.getDecoder()
              .decode(secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : "");
      if (key.length > 0) {
        return key;
      }
    } catch (IllegalArgumentException e) {
      // Not base64: the same mistake, and the exception quotes the secret.
    }
    throw new IllegalArgumentException(
        "the webhook's secret is not `whsec_` and base64; copy it again from the receiver");
  }

  private static String signature(byte[] key, String head, byte[] body) {
    var signed = new ByteArrayOutputStream();
    signed.writeBytes((head + ".").getBytes(StandardCharsets.UTF_8));
    signed.writeBytes(body);
    return Base64.getEncoder().encodeToString(hmac(key, signed.toByteArray()));
  }

  /** The HMAC-SHA256 of bytes, by which a receiver proves their sender. */
  public static byte[] hmac(byte[] key, byte[] signed) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(signed);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }
}
