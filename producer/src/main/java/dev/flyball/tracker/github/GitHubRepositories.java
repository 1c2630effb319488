package dev.flyball.tracker.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerHttp.Request;
import dev.flyball.tracker.http.TrackerResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Issues of several GitHub repositories, each read as if it were alone: with a cursor, which moves
 * when its list was read, and with ids such as {@code acme/web#12}. One that cannot be read is
 * named, and the others are read all the same. Of an owner all repositories are read that are not
 * archived; which those are is asked once an hour.
 *
 * <p>Source: docs.github.com, REST API endpoints for repositories.
 */
final class GitHubRepositories implements Source, Comments {
  /** Items of one poll: they are held in memory, and committed together. */
  private static final int ENOUGH = 2_000;

  /** So many refusals and nothing else: it is the token that is refused. */
  private static final int MOST_REFUSED = 3;

  private static final Duration LISTED_FOR = Duration.ofHours(1);

  private final SourceConfig.GitHub config;
  private final TrackerHttp http;
  private final Account account;
  private final InstantSource clock;
  private final Map<String, GitHubSource> sources = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  /** The repositories, by their ids where they are asked for; used by the one polling thread. */
  private Map<String, String> listed = Map.of();

  private Instant listedAt = Instant.MIN;

  /** Why repositories are missing since they were listed last, by their names. */
  private final Map<String, String> missing = new TreeMap<>();

  /** How many repositories earlier polls have asked: the next one begins after them. */
  private int turn;

  GitHubRepositories(
      SourceConfig.GitHub config, TrackerHttp http, Account account, InstantSource clock) {
    this.config = config;
    this.http = http;
    this.account = account;
    this.clock = clock;
  }

  private synchronized GitHubSource source(String repository) {
    return sources.computeIfAbsent(
        repository, name -> new GitHubSource(config, name, name + "#", http, account, clock));
  }

  /** The repository of an item; items of other sources were never here. */
  private GitHubSource of(String item) {
    return source(item.substring(0, Math.max(0, item.indexOf('#'))));
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    int before = http.requests();
    List<String> names = names(permission);
    Map<String, String> cursors = cursors(cursor);
    cursors.keySet().retainAll(names);
    var round = new Round(cursors);
    for (int asked = 0; asked < names.size() && !round.ends(); asked++) {
      String name = names.get(turn++ % names.size());
      try {
        round.take(name, source(name).poll(cursors.get(name), permission));
      } catch (SourceFailure e) {
        round.failed(name, e.failure());
      }
    }
    return round.result(http.requests() - before);
  }

  /** What one poll reads of the repositories. */
  private final class Round {
    private final Map<String, String> cursors;
    private final List<RawItem> items = new ArrayList<>();
    private final List<PollResult.Unread> invalid = new ArrayList<>();
    private final Map<String, String> trouble = new TreeMap<>(missing);
    private final List<TrackerFailure> failures = new ArrayList<>();
    private Duration pause = Duration.ZERO;
    private boolean more;
    private boolean read;
    private boolean down;

    Round(Map<String, String> cursors) {
      this.cursors = cursors;
    }

    void take(String name, PollResult part) {
      read = true;
      more |= part.more();
      pause = part.retryAfter();
      items.addAll(part.items());
      invalid.addAll(part.invalid());
      cursors.put(name, part.cursor());
      if (part.notRead() != null) {
        trouble.put(name, part.notRead());
      }
    }

    void failed(String name, TrackerFailure failure) {
      failures.add(failure);
      trouble.put(name, failure.reason());
      down =
          failure.category() == Category.RATE_LIMITED || failure.category() == Category.UNREACHABLE;
      pause = failure.retryAfter();
    }

    /** Whether the server should get no further request now, or so much was read that it counts. */
    boolean ends() {
      boolean refused =
          !read
              && failures.size() >= MOST_REFUSED
              && failures.stream().allMatch(it -> it.category() == Category.AUTH);
      return down || refused || pause.isPositive() || items.size() >= ENOUGH;
    }

    PollResult result(int requests) {
      if (!read && !failures.isEmpty()) {
        throw new SourceFailure(failures.getLast(), null);
      }
      boolean goesOn = more || items.size() >= ENOUGH;
      String notRead = trouble.isEmpty() ? null : String.join("; ", trouble.values());
      return new PollResult(
          items, invalid, Map.of(), written(cursors), requests, pause, goesOn, notRead);
    }
  }

  /** The names of the repositories, without those that are archived. */
  private List<String> names(RequestPermission permission) {
    Instant now = clock.instant();
    if (listed.isEmpty() || !now.isBefore(listedAt.plus(LISTED_FOR))) {
      var found = new LinkedHashMap<String, String>();
      var archived = new HashSet<String>();
      for (String name : config.repository().split("[, ]+")) {
        if (name.endsWith("/*")) {
          list(name.substring(0, name.length() - 2), found, archived, permission);
        } else {
          found.put(name, name);
        }
      }
      missing.clear();
      listed.forEach((id, name) -> {
        String called = found.get(id);
        if (called == null && !archived.contains(id)) {
          missing.put(name, "repository " + name + " is gone, or the token no longer sees it");
        } else if (called != null && !called.equals(name)) {
          missing.put(name, "repository " + name + " is called " + called + ": its items are new");
        }
      });
      listed = found;
      listedAt = now;
    }
    return List.copyOf(new LinkedHashSet<>(listed.values()));
  }

  private void list(
      String owner, Map<String, String> found, Set<String> archived, RequestPermission permission) {
    // An organisation is a user as well, but shows its private repositories only as itself.
    String repositories = "/" + owner + "/repos?per_page=100";
    var organisation =
        new Request("GET", "/orgs" + repositories, Map.of(), null, Set.of(404), false);
    TrackerResponse page = http.ask(organisation, permission);
    if (page.status() == 404) {
      page = http.get("/users" + repositories, permission);
    }
    while (true) {
      for (JsonNode one : page.list("", "GitHub: no list of repositories; is the url its API's?")) {
        String id = one.path("id").asText();
        if (one.path("archived").asBoolean()) {
          archived.add(id);
        } else if (one.path("has_issues").asBoolean(true)) {
          found.put(id, one.path("full_name").asText());
        }
      }
      String next = page.next();
      if (next == null) {
        return;
      }
      page = http.get(next, permission);
    }
  }

  private static Map<String, String> cursors(@Nullable String cursor) {
    var cursors = new TreeMap<String, String>();
    for (String one : cursor == null ? new String[0] : cursor.split("\\|")) {
      int at = one.indexOf('=');
      if (at > 0) {
        cursors.put(one.substring(0, at), one.substring(at + 1));
      }
    }
    return cursors;
  }

  private static String written(Map<String, String> cursors) {
    return cursors.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining("|"));
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(
        each(cursor, GitHubSource::horizon).stream()
            .map(Optional::orElseThrow)
            .min(Instant::compareTo)
            .orElse(Instant.EPOCH));
  }

  @Override
  public boolean goesOn(String cursor) {
    return each(cursor, GitHubSource::goesOn).contains(true);
  }

  private <T> List<T> each(String cursor, BiFunction<GitHubSource, String, T> question) {
    return cursors(cursor).entrySet().stream()
        .map(one -> question.apply(source(one.getKey()), one.getValue()))
        .toList();
  }

  @Override
  public int revisitBatch() {
    return GitHubSource.REVISITED_AT_ONCE;
  }

  /** Of a repository that does not answer nothing is said. */
  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    var items = new ArrayList<RawItem>();
    var gone = new HashSet<ItemKey>();
    int requests = 0;
    SourceFailure failed = null;
    boolean seen = false;
    var repositories = keys.stream().collect(Collectors.groupingBy(key -> of(key.id())));
    for (Map.Entry<GitHubSource, List<ItemKey>> one : repositories.entrySet()) {
      try {
        Revisited part = one.getKey().revisit(one.getValue(), permission);
        seen = true;
        items.addAll(part.items());
        gone.addAll(part.gone());
        requests += part.requests();
      } catch (SourceFailure e) {
        failed = e;
      }
    }
    if (failed != null && !seen) {
      throw failed;
    }
    return new Revisited(items, gone, requests);
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return of(item.key().id()).comments(item, permission);
  }

  @Override
  public Optional<Comments> writer() {
    return Optional.of(this);
  }

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    return of(item).written(item, permission);
  }

  @Override
  public Optional<String> us(RequestPermission permission) {
    return account.id(permission);
  }

  /** Whether GitHub answers us; of the repositories the polls know. */
  @Override
  public void check(RequestPermission permission) {
    var _ = http.get("/rate_limit", permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    of(item).add(item, body, permission);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    of(item).edit(item, comment, body, permission);
  }
}
