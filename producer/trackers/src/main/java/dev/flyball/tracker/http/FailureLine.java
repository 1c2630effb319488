package dev.flyball.tracker.http;

import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The text of a request's failure: which request it was, by host and path, then what is wrong and
 * what helps. A query's values may be confidential, so the query is left out.
 */
record FailureLine(String method, URI address, Secrets secrets) {
  private static final int MAX_PATH = 120;

  SourceFailure failure(Category category, String what) {
    return failure(category, what, Duration.ZERO, null);
  }

  SourceFailure failure(
      Category category, String what, Duration retryAfter, @Nullable Throwable cause) {
    String line = AsciiLine.of(secrets.redacted(where() + " " + what));
    return new SourceFailure(new TrackerFailure(category, line, retryAfter), cause);
  }

  /** Text of the tracker, ready to be quoted in a line. */
  String quoted(String words) {
    return AsciiLine.of(secrets.redacted(words), 200);
  }

  private String where() {
    String path = address.getRawPath() == null ? "" : address.getRawPath();
    String port = address.getPort() < 0 ? "" : ":" + address.getPort();
    return method
        + " "
        + address.getHost()
        + port
        + (path.length() <= MAX_PATH ? path : path.substring(0, MAX_PATH) + "...");
  }
}
