package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerHttp.Request;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListedSource;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.PagedListing.ChangePages;
import dev.flyball.tracker.paging.TrackerCursor;
import dev.flyball.tracker.text.MarkdownText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one GitHub repository. The first reading, in several polls where it is long, covers the
 * open issues; every later one covers what changed. A poll that finds nothing new costs one
 * request, which GitHub does not count if it answers 304. All comments of an issue are read: ours
 * may be far up in a long discussion.
 *
 * <p>Source: docs.github.com, REST API endpoints for issues and issue comments.
 */
public final class GitHubSource implements ListedSource {
  /**
   * A change is stamped before it can be read, by one of many machines, so it may become visible
   * after a newer one. Two minutes are far more than that takes, and cost no request.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  static final int REVISITED_AT_ONCE = 10;

  private static final int COMMENTS = 100;

  /** Fewer comments by people on the last page make the one before it worth a request. */
  private static final int LATEST = 20;

  private static final int MOVED = 301;

  /**
   * The issue was deleted, or moved to another repository. The repository itself may also have been
   * deleted or moved, which a separate request checks.
   */
  private static final Set<Integer> GONE = Set.of(MOVED, 404, 410);

  /** More than wait and run at the same time; a dropped one costs one request of the rate limit. */
  private static final int MOST_KEPT = 500;

  private final Place place;
  private final TrackerHttp http;
  private final SourceConfig.GitHub config;
  private final String repository;
  private final String prefix;
  private final String path;

  /** What the repository is called now; null where it has its name. */
  private @Nullable String renamed;

  /**
   * The last answer that held the whole list; written and read by the one polling thread. It is
   * returned again when GitHub says that it is unchanged, because what was read may not have been
   * published.
   */
  private @Nullable KeptPage kept;

  /** The last answers about single issues; written and read by the same thread. */
  private final LinkedHashMap<String, KeptIssue> keptIssues = new LinkedHashMap<>();

  private record KeptPage(String address, String tag, ChangePage page) {}

  private record KeptIssue(String tag, ChangedEntry issue) {}

  /**
   * A repository whose requests go with those of others; sends none yet.
   *
   * @param prefix of its items' ids, so that they differ from those of other repositories
   */
  GitHubSource(
      SourceConfig.GitHub config,
      String repository,
      String prefix,
      TrackerHttp http,
      Account account,
      InstantSource clock) {
    String query = TrackerCursor.mark(config.url().toString(), repository);
    place = new Place(repository, TOLERANCE, query, account, http, clock);
    this.http = http;
    this.config = config;
    this.repository = repository;
    this.prefix = prefix;
    path = "/repos/" + repository + "/issues";
  }

  /**
   * The source of a configuration; sends no request yet.
   *
   * @param limits shared with other sources
   */
  public static Source of(SourceConfig.GitHub config, InstantSource clock, TrackerLimits limits) {
    // The token is read again for each request.
    var http = new TrackerHttp(config.url(), () -> headers(config.token()), clock, limits);
    var account = new Account(http, it -> http.get("/user", it).json().path("id").asText());
    return config.repository().matches("[^*,]+")
        ? new GitHubSource(config, config.repository(), "", http, account, clock)
        : new GitHubRepositories(config, http, account, clock);
  }

  private static Map<String, String> headers(Credential token) {
    var headers = new TreeMap<String, String>();
    headers.put("Accept", "application/vnd.github+json");
    headers.put("X-GitHub-Api-Version", "2022-11-28");
    Tokens.read(token).ifPresent(secret -> headers.put("Authorization", "Bearer " + secret));
    return headers;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    String all = path + "?state=" + (fresh ? "open" : "all");
    var pages =
        new ChangePages() {
          @Override
          public ChangePage from(@Nullable Instant since, int size) {
            String from = size + (since == null ? "" : "&since=" + since);
            return beginning(all + "&sort=updated&direction=asc&per_page=" + from, permission);
          }

          @Override
          public ChangePage next(String link) {
            return page(http.get(link, permission));
          }
        };
    return new PagedListing("GitHub", TOLERANCE, pages).read(since);
  }

  static String moved(String repository, String name) {
    return "repository " + repository + " is called " + name + " now; correct sources[].repository";
  }

  /** GitHub redirects the old name of a repository until another repository takes it. */
  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    PollResult result = ListedSource.super.poll(cursor, permission);
    return renamed == null ? result : result.without(moved(repository, renamed));
  }

  @Override
  public int revisitBatch() {
    return REVISITED_AT_ONCE;
  }

  /** One by one, each request conditional: unchanged issues do not use up the rate limit. */
  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    var issues = new ArrayList<ChangedEntry>();
    var gone = new HashSet<ItemKey>();
    for (ItemKey key : keys) {
      Optional<ChangedEntry> issue =
          number(key.id()).matches("[1-9][0-9]{0,17}")
              ? now(number(key.id()), permission)
              : Optional.empty();
      if (issue.isEmpty() || issue.get().content() instanceof ChangedEntry.Other) {
        gone.add(key);
      } else {
        issues.add(issue.get());
      }
    }
    if (!gone.isEmpty()) {
      checkRepository(permission);
    }
    return new Existing(issues, gone);
  }

  private ChangePage beginning(String address, RequestPermission permission) {
    KeptPage same = kept != null && kept.address().equals(address) ? kept : null;
    kept = null;
    String tag = same == null ? "" : same.tag();
    TrackerResponse answer = ask(address, tag, Set.of(), false, permission);
    if (answer.status() == 304) {
      kept = asked(same);
      return kept.page().confirmed(answer.retryAfter(), answer.served(place.clock().instant()));
    }
    ChangePage page = page(answer);
    String now = answer.headers().firstValue("ETag").orElse(null);
    kept = now == null || page.next() != null ? null : new KeptPage(address, now, page);
    return page;
  }

  private ChangePage page(TrackerResponse answer) {
    JsonNode list =
        answer.list(
            "",
            "GitHub: the list of issues is no list; check the source's url, which ends in /api/v3"
                + " for an enterprise server");
    var issues = list.valueStream().map(issue -> GitHubIssue.read(issue, config, prefix)).toList();
    String api = list.path(0).path("repository_url").asText();
    String name = api.substring(api.indexOf("/repos/") + 1).replaceFirst("^repos/", "");
    renamed = api.isEmpty() || name.equalsIgnoreCase(repository) ? null : name;
    return page(answer, issues, answer.next());
  }

  private static KeptPage asked(@Nullable KeptPage same) {
    if (same == null) {
      throw new SourceFailure(
          Category.MALFORMED,
          "GitHub: an answer says that nothing changed, which was not asked; check the proxy");
    }
    return same;
  }

  private Optional<ChangedEntry> now(String number, RequestPermission permission) {
    KeptIssue same = keptIssues.remove(number);
    TrackerResponse answer =
        ask(path + "/" + number, same == null ? "" : same.tag(), GONE, true, permission);
    if (GONE.contains(answer.status())) {
      return Optional.empty();
    }
    if (answer.status() == 304 && same != null) {
      keptIssues.put(number, same);
      return Optional.of(same.issue());
    }
    ChangedEntry issue = GitHubIssue.read(answer.json(), config, prefix);
    answer.headers().firstValue("ETag").ifPresent(tag -> keep(number, new KeptIssue(tag, issue)));
    return Optional.of(issue);
  }

  private void keep(String number, KeptIssue answer) {
    keptIssues.put(number, answer);
    if (keptIssues.size() > MOST_KEPT) {
      keptIssues.pollFirstEntry();
    }
  }

  /**
   * Fails if the repository itself cannot be seen or was renamed: all its issues then look deleted
   * or moved, and none of them may be reported as such.
   */
  private void checkRepository(RequestPermission permission) {
    if (ask(path + "?state=all&per_page=1", "", Set.of(MOVED), true, permission).status()
        == MOVED) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "GitHub: " + path + " moved; set the source's repository to its new name");
    }
  }

  private TrackerResponse ask(
      String address,
      String tag,
      Set<Integer> expected,
      boolean waits,
      RequestPermission permission) {
    Map<String, String> condition = tag.isEmpty() ? Map.of() : Map.of("If-None-Match", tag);
    return http.ask(new Request("GET", address, condition, null, expected, waits), permission);
  }

  @JsonNaming(SnakeCaseStrategy.class)
  record Entry(String id, User user, String body, String createdAt) {
    Entry {
      user = user == null ? new User("", "", "") : user;
    }
  }

  record User(String id, String login, String type) {}

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    return ListedSource.pages(
            item, COMMENTS, page -> entries(http.get(comments(item, page), permission)))
        .stream()
        .map(one -> new Comment(one.id, one.user.id, one.body))
        .toList();
  }

  /** GitHub lists the oldest first: asks for the last page, and if short for the one before. */
  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    if (item.comments() == 0) {
      return List.of();
    }
    int last = Math.clamp((item.comments() + COMMENTS - 1L) / COMMENTS, 1, MOST_PAGES);
    var latest = new ArrayList<HumanComment>();
    for (int number = last; number > 0 && (number == last || latest.size() < LATEST); number--) {
      entries(http.getBesidePoll(comments(item.key().id(), number), permission)).reversed().stream()
          .filter(one -> !one.user.type.equals("Bot"))
          .map(one -> HumanComment.of(one.user.login, one.createdAt, MarkdownText.of(one.body)))
          .forEach(latest::add);
    }
    return HumanComment.latest(latest);
  }

  private String number(String item) {
    return item.substring(item.startsWith(prefix) ? prefix.length() : 0);
  }

  private String comments(String item, int number) {
    return path + "/" + number(item) + "/comments?per_page=" + COMMENTS + "&page=" + number;
  }

  private static List<Entry> entries(TrackerResponse answer) {
    return answer.list("", Entry.class, "GitHub's comments are no list; try again later");
  }

  @Override
  public void check(RequestPermission permission) {
    String name = http.get("/repos/" + repository, permission).json().path("full_name").asText();
    if (!name.equalsIgnoreCase(repository)) {
      throw new SourceFailure(Category.NOT_FOUND, moved(repository, name));
    }
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String comments = path + "/" + number(item) + "/comments";
    JsonNode written = http.send("POST", comments, json(body), permission).json();
    place.account().wrote(TrackerJson.read(written, Entry.class).user.id);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PATCH", path + "/comments/" + comment, json(body), permission);
  }

  private static Map<String, String> json(CommentBody body) {
    return Map.of("body", body.markdown());
  }
}
