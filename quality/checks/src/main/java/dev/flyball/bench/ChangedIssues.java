package dev.flyball.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A repository of issues as GitHub's interface shows it, all of which change from round to round;
 * created again for each answer, so that it holds nothing itself.
 */
final class ChangedIssues implements AutoCloseable {
  static final int COUNT = 10_000;
  private static final int PAGE = 100;
  private static final int A_SECOND = 20;
  private static final String BODY =
      "Steps to **reproduce**:\\n\\n1. open the [page](https://example.org/page)\\n2. press `save`\\n\\n"
          .repeat(12);

  private final HttpServer server;
  private final Instant start =
      Instant.now().minus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);
  private final AtomicInteger round = new AtomicInteger();

  ChangedIssues() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Everything changes once more. */
  void change() {
    round.incrementAndGet();
  }

  private void answer(HttpExchange exchange) throws IOException {
    URI asked = exchange.getRequestURI();
    Map<String, String> query =
        Arrays.stream(asked.getRawQuery().split("&"))
            .map(pair -> pair.split("=", 2))
            .collect(
                Collectors.toMap(
                    pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
    String since = query.get("since");
    int first = since == null ? 0 : firstSince(Instant.parse(since));
    int page = Integer.parseInt(query.getOrDefault("page", "1"));
    int from = Math.min(COUNT, first + (page - 1) * PAGE);
    int to = Math.min(COUNT, from + PAGE);
    var json = new StringBuilder("[");
    for (int i = from; i < to; i++) {
      json.append(i == from ? "" : ",").append(issue(i));
    }
    byte[] body = json.append(']').toString().getBytes(StandardCharsets.UTF_8);
    if (to < COUNT) {
      String rest = asked.getRawQuery().replaceAll("&page=[0-9]+", "");
      exchange
          .getResponseHeaders()
          .add(
              "Link",
              "<"
                  + url()
                  + asked.getRawPath()
                  + "?"
                  + rest
                  + "&page="
                  + (page + 1)
                  + ">; rel=\"next\"");
    }
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    try (exchange) {
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private int firstSince(Instant since) {
    int first = 0;
    while (first < COUNT && updated(first).isBefore(since)) {
      first++;
    }
    return first;
  }

  /** An hour between rounds: what one has changed is not in the next one's overlap. */
  private Instant updated(int i) {
    return start.plus(Duration.ofHours(round.get())).plusSeconds(i / A_SECOND);
  }

  private String issue(int i) {
    return String.format(
        Locale.ROOT,
        "{\"id\":%1$d,\"number\":%1$d,\"title\":\"Issue %1$d, round"
            + " %2$d\",\"body\":\"%3$s\",\"state\":\"open\",\"html_url\":\"https://example.org/%1$d\",\"updated_at\":\"%4$s\",\"created_at\":\"%4$s\",\"comments\":0,\"labels\":[],\"assignees\":[],\"user\":{\"login\":\"ann\"}}",
        i + 1,
        round.get(),
        BODY,
        updated(i));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
