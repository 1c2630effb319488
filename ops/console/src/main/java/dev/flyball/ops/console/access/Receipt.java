package dev.flyball.ops.console.access;

import com.sun.net.httpserver.HttpExchange;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an action answered, which the next page of that browser shows once. It travels in a cookie:
 * a link to a page cannot carry one, so no other site can have this server say anything.
 *
 * @param text one line for a person
 */
public record Receipt(Tone tone, String text) {
  private static final String COOKIE = "flyball-receipt";

  /** A cookie has at most 4,096 bytes, and a character up to nine of them. */
  private static final int LONGEST = 400;

  /** Seconds within which the browser asks for the page that it was sent on to. */
  private static final int AGE = 60;

  /** How a receipt is shown; its name is the style. */
  public enum Tone {
    /** It is done, or sent. */
    OK,
    /** It is done partially, or perhaps. */
    WARN,
    /** Nothing was changed. */
    BAD
  }

  /** Has the browser show this on the next page. */
  public void give(HttpExchange exchange) {
    String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    cookie(exchange, tone + "." + URLEncoder.encode(shown, StandardCharsets.UTF_8), AGE);
  }

  /** The receipt that a request brings, which is taken from the browser; null if none. */
  public static @Nullable Receipt take(HttpExchange exchange) {
    Optional<String> found = ConsoleAccess.cookie(exchange, COOKIE);
    if (found.isEmpty()) {
      return null;
    }
    cookie(exchange, "", 0);
    String[] parts = found.get().split("\\.", 2);
    try {
      String text = URLDecoder.decode(parts[parts.length - 1], StandardCharsets.UTF_8);
      return new Receipt(Tone.valueOf(parts[0]), text);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static void cookie(HttpExchange exchange, String value, int seconds) {
    exchange
        .getResponseHeaders()
        .add(
            "Set-Cookie",
            COOKIE + "=" + value + "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + seconds);
  }
}
