package dev.flyball.bench;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import dev.flyball.testkit.FaultServer;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

  private final Instant start =
      Instant.now().minus(Duration.ofDays(1)).truncatedTo(ChronoUnit.SECONDS);
  private final AtomicInteger round = new AtomicInteger();
  private final FaultServer server = FaultServer.http().otherwise(this::answer);

  URI url() {
    return server.url();
  }

  /** Everything changes once more. */
  void change() {
    // The server keeps every request.
    server.forget();
    round.incrementAndGet();
  }

  private FaultReply answer(FaultRequest asked) {
    String since = asked.query().get("since");
    int first = since == null ? 0 : firstSince(Instant.parse(since));
    int page = Integer.parseInt(asked.query().getOrDefault("page", "1"));
    int from = Math.min(COUNT, first + (page - 1) * PAGE);
    int to = Math.min(COUNT, from + PAGE);
    String issues =
        IntStream.range(from, to).mapToObj(this::issue).collect(Collectors.joining(",", "[", "]"));
    String rest = asked.target().replaceAll("&page=[0-9]+", "") + "&page=" + (page + 1);
    return FaultReply.json(
        200,
        to < COUNT ? Map.of("Link", "<" + url() + rest + ">; rel=\"next\"") : Map.of(),
        issues);
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
    server.close();
  }
}
