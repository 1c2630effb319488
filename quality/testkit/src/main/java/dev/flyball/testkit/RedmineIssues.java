package dev.flyball.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Changes a {@link RedmineServer}'s issues as one user, through REST. Thread-safe. */
public final class RedmineIssues {
  /** A closed status of Redmine's default data, by number. */
  private static final int CLOSED = 5;

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String key;

  RedmineIssues(String url, String key) {
    this.url = url;
    this.key = key;
  }

  /** This user's own number. */
  public int me() {
    return send("GET", "/users/current.json", "").path("user").path("id").asInt();
  }

  /** Creates an issue; returns its number. */
  public int create(String subject, String description) {
    return create(Map.of("subject", subject, "description", description));
  }

  /** Creates an issue with the fields of REST; returns its number. */
  public int create(Map<String, Object> fields) {
    var all = new HashMap<String, Object>(fields);
    all.putIfAbsent("project_id", RedmineServer.PROJECT);
    JsonNode made = send("POST", "/issues.json", RecordJson.write(Map.of("issue", all)));
    return made.path("issue").path("id").asInt();
  }

  /** Sets fields of REST, for example {@code subject} or {@code status_id}. */
  public void edit(int id, Map<String, Object> fields) {
    send("PUT", "/issues/" + id + ".json", RecordJson.write(Map.of("issue", fields)));
  }

  /** Sets its status to a closed one. */
  public void close(int id) {
    edit(id, Map.of("status_id", CLOSED));
  }

  /** Adds a note. */
  public void comment(int id, String text) {
    edit(id, Map.of("notes", text));
  }

  /** Deletes the issue for ever. */
  public void delete(int id) {
    send("DELETE", "/issues/" + id + ".json", "");
  }

  /** The issue as REST shows it, with its journals. */
  public JsonNode read(int id) {
    return send("GET", "/issues/" + id + ".json?include=journals", "").path("issue");
  }

  /**
   * Creates many issues with one request, much faster than REST. No other client may create one
   * meanwhile.
   *
   * @param subject the beginning of each subject; its number from 1 follows
   * @param age how long ago their last change appears to be
   * @return their numbers in order
   */
  public List<Integer> createMany(int count, String subject, Duration age) {
    String words = URLEncoder.encode(subject, StandardCharsets.UTF_8);
    var ids = new ArrayList<Integer>();
    send("POST", "/-/issues?count=" + count + "&age=" + age.toSeconds() + "&subject=" + words, "")
        .forEach(id -> ids.add(id.asInt()));
    return ids;
  }

  /** Deletes all issues. */
  public void deleteAll() {
    send("DELETE", "/-/issues", "");
  }

  private JsonNode send(String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(PATIENCE)
            .header("X-Redmine-API-Key", key)
            .header("Content-Type", "application/json")
            .header("User-Agent", "test")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    try {
      var answer = http.send(request, BodyHandlers.ofString());
      if (answer.statusCode() / 100 != 2) {
        throw new AssertionError(
            method + " " + path + ": " + answer.statusCode() + " " + answer.body());
      }
      return RecordJson.parse(answer.body().isBlank() ? "{}" : answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
