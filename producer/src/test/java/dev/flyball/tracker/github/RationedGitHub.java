package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A repository of many issues, ten a page, of which only a few pages may be read in each window.
 */
public final class RationedGitHub implements AutoCloseable {
  private static final Instant FIRST = Instant.parse("2026-02-10T08:00:00Z");
  private static final int PAGE = 10;

  private final FaultServer server = FaultServer.http();
  private final InstantSource clock;
  private final int allowance;
  private final Duration window;

  /** The issues; all fields below are read and written under this object's monitor. */
  private final TreeMap<Integer, ObjectNode> issues = new TreeMap<>();

  private Instant renewed = Instant.MIN;
  private int left;
  private int refused;

  /**
   * A repository with this many issues, each changed a minute after the one before.
   *
   * @param allowance requests of one window
   */
  public RationedGitHub(int count, int allowance, Duration window, InstantSource clock) {
    this.clock = clock;
    this.allowance = allowance;
    this.window = window;
    for (int number = 1; number <= count; number++) {
      put(number, "open", FIRST.plusSeconds(60L * number));
    }
    server.otherwise(this::answer);
  }

  /** Changes an issue, or opens it. */
  public synchronized void put(int number, String state, Instant at) {
    var issue = (ObjectNode) RecordJson.parse("{}");
    issue.put("number", number).put("title", "Issue " + number).put("state", state);
    issues.put(number, issue.put("updated_at", at.toString()));
  }

  public URI url() {
    return server.url();
  }

  /** The requests received so far. */
  public List<FaultRequest> requests() {
    return server.requests();
  }

  /** The number of requests above the allowance. */
  public synchronized int refused() {
    return refused;
  }

  /** The most requests that were open at the same time. */
  public int mostAtOnce() {
    return server.mostAtOnce();
  }

  @Override
  public void close() {
    server.close();
  }

  private synchronized FaultReply answer(FaultRequest request) {
    Instant now = clock.instant();
    if (renewed.equals(Instant.MIN) || !now.isBefore(renewed.plus(window))) {
      renewed = now;
      left = allowance;
    }
    if (left == 0) {
      refused++;
      return FaultReply.status(403, rate(now));
    }
    left--;
    Map<String, String> asked = request.query();
    String since = asked.getOrDefault("since", "");
    List<ObjectNode> found =
        issues.values().stream()
            .filter(issue -> issue.path("updated_at").asText().compareTo(since) >= 0)
            .filter(issue ->
                "all".equals(asked.get("state"))
                    || issue.path("state").asText().equals(asked.get("state")))
            .sorted(Comparator.comparing((ObjectNode issue) -> issue.path("updated_at").asText()))
            .toList();
    int page = Integer.parseInt(asked.getOrDefault("page", "1"));
    int from = Math.min(found.size(), (page - 1) * PAGE);
    int to = Math.min(found.size(), from + PAGE);
    Map<String, String> headers = rate(now);
    if (to < found.size()) {
      String next = request.target().replaceAll("&page=\\d+", "") + "&page=" + (page + 1);
      headers.put("Link", "<" + url() + next + ">; rel=\"next\"");
    }
    return FaultReply.json(200, headers, RecordJson.write(found.subList(from, to)));
  }

  private Map<String, String> rate(Instant now) {
    long reset = Duration.between(now, renewed.plus(window)).toSeconds() + 1;
    var headers = new TreeMap<String, String>();
    headers.put("X-RateLimit-Limit", Integer.toString(allowance));
    headers.put("X-RateLimit-Remaining", Integer.toString(left));
    headers.put("X-RateLimit-Reset", Long.toString(reset));
    return headers;
  }
}
