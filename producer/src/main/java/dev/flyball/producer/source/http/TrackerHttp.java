package dev.flyball.producer.source.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.SourceFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Asks one tracker, one request at a time. Every answer that is not what was asked for is a {@link
 * SourceFailure} with a category and a line that says what to do. Secrets go in headers that the
 * caller makes anew for each request, to the tracker's own host only.
 */
public final class TrackerHttp {
  /** From a request's start to its body's end: half a beat, so that a lease outlives it. */
  public static final Duration LIMIT = Duration.ofSeconds(30);

  private final URI base;
  private final Supplier<Map<String, String>> headers;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
  private int requests;

  /**
   * Opens nothing yet.
   *
   * @param base the tracker's root; paths are appended to it
   * @param headers those of every request, the token among them; may throw {@link SourceFailure}
   * @param clock dates of Retry-After count from it
   */
  public TrackerHttp(URI base, Supplier<Map<String, String>> headers, InstantSource clock) {
    this.base = base;
    this.headers = headers;
  }

  /** Requests sent so far. */
  public int requests() {
    return requests;
  }

  /**
   * Reads.
   *
   * @param path with its query, encoded, beginning with a slash; or a whole address of the tracker
   *     itself, as links to a next page are
   * @param more headers of this request
   * @param expected further statuses that are an answer and no failure
   * @throws SourceFailure if there is no such answer
   * @throws Leave.LeaveLost if it may not be asked
   */
  public Answer get(String path, Map<String, String> more, Set<Integer> expected, Leave leave) {
    return send("GET", path, more, HttpRequest.BodyPublishers.noBody(), expected, leave);
  }

  /** Sends JSON; the same as {@link #get} otherwise. */
  public Answer send(
      String method, String path, JsonNode body, Set<Integer> expected, Leave leave) {
    return send(
        method,
        path,
        Map.of("Content-Type", "application/json"),
        HttpRequest.BodyPublishers.ofByteArray(RecordJson.bytes(body)),
        expected,
        leave);
  }

  private Answer send(
      String method,
      String path,
      Map<String, String> more,
      HttpRequest.BodyPublisher body,
      Set<Integer> expected,
      Leave leave) {
    URI address = path.startsWith("/") ? URI.create(base + path) : URI.create(path);
    var request = HttpRequest.newBuilder(address).method(method, body).timeout(leave.limit());
    request.setHeader("Accept", "application/json");
    headers.get().forEach(request::setHeader);
    more.forEach(request::setHeader);
    leave.check();
    requests++;
    try {
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      int status = answer.statusCode();
      if (status / 100 != 2 && status != 304 && !expected.contains(status)) {
        throw new SourceFailure(Category.UNREACHABLE, address.getHost() + " answered " + status);
      }
      JsonNode json =
          answer.body().length == 0
              ? MissingNode.getInstance()
              : RecordJson.parse(
                  new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8));
      return new Answer(status, answer.headers(), json, Duration.ZERO);
    } catch (IOException e) {
      throw new SourceFailure(
          Category.UNREACHABLE, address.getHost() + " does not answer: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Leave.LeaveLost("interrupted");
    }
  }
}
