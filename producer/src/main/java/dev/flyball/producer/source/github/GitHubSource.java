package dev.flyball.producer.source.github;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.PollResult;
import dev.flyball.producer.source.RawItem;
import dev.flyball.producer.source.Revisited;
import dev.flyball.producer.source.Source;
import dev.flyball.producer.source.SourceConfig;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.Watermark;
import dev.flyball.producer.source.http.TrackerHttp;
import dev.flyball.producer.source.walk.ChangePages;
import dev.flyball.producer.source.walk.ChangeWalk;
import dev.flyball.producer.source.walk.Reach;
import dev.flyball.producer.source.walk.Walked;
import dev.flyball.producer.text.Bounded;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one GitHub repository. The first poll reads those that are open, every later one what
 * changed; a poll that finds nothing new is one request, and a free one if GitHub says 304.
 */
public final class GitHubSource implements Source {
  /**
   * A change is stamped before it can be read, by one of many machines, so it may come into sight
   * after a newer one. Two minutes are far more than that takes, and cost no request.
   */
  private static final Reach REACH = new Reach(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private static final int MAX_VALUE = 2_000;
  private static final int REVISITED_AT_ONCE = 10;

  private final SourceConfig.GitHub config;
  private final TrackerHttp http;
  private final IssueList list;
  private final IssueRevisit revisit;
  private final String query;

  /** Asks nothing yet. */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock) {
    this.config = config;
    http = GitHubAccess.http(config, clock);
    String path = "/repos/" + config.repository() + "/issues";
    list = new IssueList(http, path, clock);
    revisit = new IssueRevisit(http, path);
    query = Watermark.mark(config.url().toString(), config.repository());
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    int before = http.requests();
    try {
      Watermark start = Watermark.read(cursor, query).orElse(Watermark.none(query));
      Instant since = REACH.since(start).orElse(null);
      ChangePages<GitHubIssue> pages = list.pages(since == null ? "open" : "all", leave);
      Walked<GitHubIssue> walked = new ChangeWalk<>("GitHub", REACH, pages).read(since);
      return result(walked, REACH.after(start, walked), before);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(Watermark.read(cursor, query).flatMap(REACH::since).orElse(Instant.EPOCH));
  }

  @Override
  public int revisitBatch() {
    return REVISITED_AT_ONCE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, Leave leave) {
    try {
      return revisit.of(keys, leave);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  private PollResult.Read result(
      Walked<GitHubIssue> walked, Watermark watermark, int requestsBefore) {
    var items = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    int number = 0;
    for (GitHubIssue issue : walked.items()) {
      if (!issue.pullRequest()) {
        number++;
        try {
          items.add(issue.item(config.tenant(), config.name(), number));
        } catch (UnreadableRecord e) {
          String value = Bounded.text(issue.json().toString(), MAX_VALUE);
          invalid.add(
              new PollResult.Unread(
                  config.repository(), number, String.valueOf(e.getMessage()), value));
        }
      }
    }
    return new PollResult.Read(
        items,
        invalid,
        number,
        watermark.toString(),
        http.requests() - requestsBefore,
        walked.pause());
  }
}
