package dev.flyball.tracker;

import static dev.flyball.tracker.TrackerFailure.Category.AUTH;
import static dev.flyball.tracker.TrackerFailure.Category.MALFORMED;
import static dev.flyball.tracker.TrackerFailure.Category.NOT_FOUND;
import static dev.flyball.tracker.TrackerFailure.Category.RATE_LIMITED;
import static dev.flyball.tracker.TrackerFailure.Category.UNREACHABLE;

import dev.flyball.testkit.FaultReply;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Faults of a tracker, or of what stands in front of it, with the failure that a source must
 * report.
 */
public enum Fault {
  UNAUTHORIZED(AUTH, (token, _) -> FaultReply.json(401, "{\"message\":\"Bad " + token + "\"}")),
  FORBIDDEN(AUTH, (_, _) -> FaultReply.json(403, "{\"message\":\"Missing scope\"}")),
  NO_SUCH_PLACE(NOT_FOUND, (_, _) -> FaultReply.status(404, Map.of())),
  GONE(NOT_FOUND, (_, _) -> FaultReply.json(410, "{\"message\":\"Issues are disabled\"}")),
  REFUSED_QUERY(
      NOT_FOUND, (_, _) -> FaultReply.json(422, "{\"errors\":[\"the field\\nis unknown\"]}")),
  TOO_MANY(RATE_LIMITED, (_, _) -> FaultReply.status(429, Map.of())),
  TOO_MANY_WITH_WAIT(
      RATE_LIMITED,
      (token, _) -> FaultReply.json(429, Map.of("Retry-After", "120"), "{\"m\":\"" + token + "\"}"),
      Duration.ofMinutes(2)),
  FORBIDDEN_FOR_NOW(
      RATE_LIMITED,
      (_, _) -> FaultReply.status(403, Map.of("Retry-After", "90")),
      Duration.ofSeconds(90)),
  BROKEN_DOWN(UNREACHABLE, (token, _) -> FaultReply.page(500, "<h1>oops " + token + "</h1>")),
  IN_MAINTENANCE(
      UNREACHABLE,
      (_, _) -> FaultReply.status(503, Map.of("Retry-After", "300")),
      Duration.ofMinutes(5)),
  CUT_BODY(UNREACHABLE, (_, _) -> new FaultReply.Cut("{\"issues\":[", 500)),
  RESET(UNREACHABLE, (_, _) -> new FaultReply.Reset()),
  OTHER_JSON(MALFORMED, (_, _) -> FaultReply.json("{\"unexpected\":true}")),
  NO_JSON(MALFORMED, (_, _) -> FaultReply.json("{\"issues\":[}")),
  HUGE(MALFORMED, (_, _) -> new FaultReply.Flood(100L << 20, true)),
  NOT_HTTP(MALFORMED, (_, _) -> new FaultReply.Raw("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
  OTHER_NAME(
      NOT_FOUND,
      (_, elsewhere) ->
          FaultReply.redirect(307, elsewhere.toString().replace("127.0.0.1", "localhost") + "/x"));

  private final TrackerFailure.Category category;
  private final BiFunction<String, URI, FaultReply> reply;
  private final Duration retryAfter;

  Fault(TrackerFailure.Category category, BiFunction<String, URI, FaultReply> reply) {
    this(category, reply, Duration.ZERO);
  }

  Fault(
      TrackerFailure.Category category,
      BiFunction<String, URI, FaultReply> reply,
      Duration retryAfter) {
    this.category = category;
    this.reply = reply;
    this.retryAfter = retryAfter;
  }

  /**
   * One fault of each category. What each single fault causes is the table of the HTTP client's
   * test; the layers above only see the category.
   */
  public static List<Fault> ofEachCategory() {
    return List.of(UNAUTHORIZED, NO_SUCH_PLACE, TOO_MANY_WITH_WAIT, BROKEN_DOWN, OTHER_JSON);
  }

  /** The category that must be reported. */
  public TrackerFailure.Category category() {
    return category;
  }

  /** The least pause that must be reported. */
  public Duration retryAfter() {
    return retryAfter;
  }

  /** The faulty answer of a server that knows the token and another host. */
  public FaultReply reply(String token, URI elsewhere) {
    return reply.apply(token, elsewhere);
  }
}
