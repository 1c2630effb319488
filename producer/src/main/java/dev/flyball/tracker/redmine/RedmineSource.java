package dev.flyball.tracker.redmine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.LoginCheck;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
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
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Redmine, by its REST interface. A poll that finds no change costs one request. Editing a note
 * needs Redmine 5.0 and the right to edit own notes.
 *
 * <p>Source: redmine.org, Rest_Issues and Rest_IssueJournals.
 */
public final class RedmineSource implements ListedSource {
  /**
   * A stamp is made when a request saves, not when its transaction is committed, and the machines
   * of one Redmine have separate clocks: so late a change may become visible.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofSeconds(1));

  private static final String CURRENT = "/users/current.json";

  private final Place place;
  private final TrackerHttp http;
  private final SourceConfig.Redmine config;
  private final RedmineQuery query;
  private final LoginCheck login;
  private final RedmineLists lists;

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   * @throws IllegalArgumentException if the query has parameters that are not allowed
   */
  public RedmineSource(SourceConfig.Redmine config, InstantSource clock, TrackerLimits limits) {
    var query = new RedmineQuery(config.project(), config.query());
    var http = http(config, clock, limits);
    var account = new Account(http, it -> http.get(CURRENT, it).json().at("/user/id").asText());
    String mark = TrackerCursor.mark(base(config).toString(), query.mark());
    place = new Place(config.key(), TOLERANCE, mark, account, http, clock);
    this.http = http;
    this.query = query;
    this.config = config;
    this.login = new LoginCheck(config.token(), clock, this::checkUser);
    this.lists = new RedmineLists(http, clock);
  }

  /** How requests are sent, for issues and for notes; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.Redmine config, InstantSource clock, TrackerLimits limits) {
    return new TrackerHttp(
        base(config),
        () -> Tokens.header(config.token(), "X-Redmine-API-Key", key -> key),
        clock,
        limits);
  }

  static URI base(SourceConfig.Redmine config) {
    return URI.create(config.url().toString().replaceAll("/+$", ""));
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    login.check(permission);
    return new PagedListing("Redmine", TOLERANCE, new RedminePages(permission)).read(since);
  }

  /**
   * A key that was withdrawn meanwhile hides issues from the pages. No later poll would read them,
   * because they are older than the new cursor.
   */
  @Override
  public void cursorMoves(RequestPermission permission) {
    login.checkNow(permission);
  }

  @Override
  public int revisitBatch() {
    return RedmineQuery.PAGE;
  }

  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    List<ChangedEntry> issues = new RedminePages(permission).byId(ListedSource.numbers(keys));
    Existing existing = Existing.of(keys, issues);
    if (!existing.gone().isEmpty()) {
      // Ensures that the issues are not just hidden because the key is no longer accepted.
      login.checkNow(permission);
    }
    return existing;
  }

  private void checkUser(RequestPermission permission) {
    JsonNode user = http.get(CURRENT, permission).json().path("user");
    if (user.path("id").asLong() == 0) {
      throw new SourceFailure(
          Category.MALFORMED,
          "redmine: an answer to " + CURRENT + " names no user; is the url that of Redmine?");
    }
  }

  /** What is read of a change of an issue; one with notes is a comment. */
  @JsonNaming(SnakeCaseStrategy.class)
  record Journal(String id, User user, String notes, String createdOn, boolean privateNotes) {
    Journal {
      user = user == null ? new User("", "") : user;
    }
  }

  record User(String id, String name) {}

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    return journals(item, permission).stream()
        .filter(journal -> !journal.notes.isBlank())
        .map(journal -> new Comment(journal.id, journal.user.id, journal.notes))
        .toList();
  }

  /**
   * Redmine does not say which accounts are programs. Private notes are left out: an analysis could
   * repeat them to everyone.
   */
  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return HumanComment.latest(
        journals(item.key().id(), permission).reversed().stream()
            .filter(journal -> !journal.privateNotes)
            .map(journal ->
                HumanComment.of(
                    journal.user.name, journal.createdOn, MarkdownText.orTextile(journal.notes)))
            .toList());
  }

  /** The changes of an issue, the oldest first. */
  private List<Journal> journals(String item, RequestPermission permission) {
    return http.getBesidePoll("/issues/" + item + ".json?include=journals", permission)
        .list(
            "/issue/journals",
            Journal.class,
            "Redmine returned no journals of issue " + item + "; is it Redmine?");
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(CURRENT, permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    var issue = Map.of("issue", Map.of("notes", body.preformatted()));
    http.send("PUT", "/issues/" + item + ".json", issue, permission);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    var journal = Map.of("journal", Map.of("notes", body.preformatted()));
    http.send("PUT", "/journals/" + comment + ".json", journal, permission);
  }

  private final class RedminePages implements ChangePages {
    private static final String PLACE = "redmine: an answer to /issues.json ";

    private final RequestPermission permission;

    /** From where the first page was requested; a next page repeats it. */
    private @Nullable Instant since;

    private int size;

    RedminePages(RequestPermission permission) {
      this.permission = permission;
    }

    @Override
    public ChangePage from(@Nullable Instant since, int size) {
      this.since = since;
      this.size = size;
      return page(0);
    }

    @Override
    public ChangePage next(String offset) {
      return page(Integer.parseInt(offset));
    }

    private ChangePage page(int offset) {
      TrackerResponse answer = http.get(query.page(since, offset, size), permission);
      JsonNode total = answer.json().path("total_count");
      if (!total.canConvertToInt()) {
        throw malformed("has no total_count; check that the url is that of Redmine");
      }
      List<ChangedEntry> issues = issues(answer);
      int end = offset + issues.size();
      boolean last = issues.isEmpty() || end >= total.asInt();
      return new ChangePage(
          issues, last ? null : Integer.toString(end), answer.retryAfter(), served(answer));
    }

    /** The issues of these numbers, whether or not the query finds them. */
    List<ChangedEntry> byId(List<Long> ids) {
      return ids.isEmpty() ? List.of() : issues(http.get(RedmineQuery.byId(ids), permission));
    }

    private List<ChangedEntry> issues(TrackerResponse answer) {
      JsonNode list =
          answer.list(
              "/issues", PLACE + "has no list of issues; check that the url is that of Redmine");
      lists.refresh();
      return list.valueStream()
          .map(issue -> RedmineIssue.read(issue, config, lists, permission))
          .toList();
    }

    /** The tracker's clock, not ours: stamps of issues are compared with it. */
    private static Instant served(TrackerResponse answer) {
      Instant served = answer.served(Instant.MIN.plusSeconds(1));
      if (served.getEpochSecond() < 0) {
        throw malformed(
            "has no Date header, so the tracker's time is unknown; let the proxy in front of"
                + " Redmine keep that header");
      }
      return served;
    }

    private static SourceFailure malformed(String what) {
      return new SourceFailure(Category.MALFORMED, PLACE + what);
    }
  }
}
