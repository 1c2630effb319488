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
   * How far before the newest change a poll begins. A change is stamped before it can be read, by
   * one of many machines, so it may come into sight after a newer one. Two minutes are far more
   * than that takes, and cost no request.
   */
  private static final Duration OVERLAP = Duration.ofMinutes(2);

  /** An issue that rested this long when a poll began was surely not edited during it. */
  private static final Duration REST = Duration.ofMinutes(1);

  private static final int MAX_VALUE = 2_000;
  private static final int REVISITED_AT_ONCE = 10;

  private final SourceConfig.GitHub config;
  private final InstantSource clock;
  private final TrackerHttp http;
  private final String path;
  private final IssueList list;
  private final String query;

  /** Asks nothing yet. */
  public GitHubSource(SourceConfig.GitHub config, InstantSource clock) {
    this.config = config;
    this.clock = clock;
    http = GitHubAccess.http(config, clock);
    path = "/repos/" + config.repository() + "/issues";
    list = new IssueList(http, path, clock);
    query = Watermark.mark(config.url().toString(), config.repository());
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    int before = http.requests();
    try {
      Watermark start = Watermark.read(cursor, query).orElse(new Watermark(Instant.EPOCH, query));
      Instant since = since(start).orElse(null);
      IssueWalk.Pages pages = list.pages(since == null ? "open" : "all", leave);
      IssuePage first = pages.from(since);
      var walk = new IssueWalk(pages, first.served().minus(REST));
      List<GitHubIssue> read = walk.toTheEnd(first, since);
      return result(read, seen(start, read, first.served()), walk.pause(), before);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(
        Watermark.read(cursor, query).flatMap(GitHubSource::since).orElse(Instant.EPOCH));
  }

  @Override
  public int revisitBatch() {
    return REVISITED_AT_ONCE;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, Leave leave) {
    try {
      return new IssueRevisit(http, path, clock, leave).of(keys);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  private static Optional<Instant> since(Watermark watermark) {
    return Optional.of(watermark.at().minus(OVERLAP)).filter(since -> since.isAfter(Instant.EPOCH));
  }

  /**
   * The newest change, but never behind the poll's beginning: what was edited while the list was
   * read may have been passed by, and is read again.
   */
  private static Watermark seen(Watermark start, List<GitHubIssue> read, Instant began) {
    Watermark watermark = start;
    for (GitHubIssue issue : read) {
      Instant change = issue.updatedAt();
      watermark = watermark.seen(change.isAfter(began) ? began : change);
    }
    return watermark;
  }

  private PollResult.Read result(
      List<GitHubIssue> read, Watermark watermark, Duration pause, int requestsBefore) {
    var items = new ArrayList<RawItem>();
    var invalid = new ArrayList<PollResult.Unread>();
    int number = 0;
    for (GitHubIssue issue : read) {
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
        items, invalid, number, watermark.toString(), http.requests() - requestsBefore, pause);
  }
}
