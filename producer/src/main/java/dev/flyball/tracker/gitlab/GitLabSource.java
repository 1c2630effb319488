package dev.flyball.tracker.gitlab;

import static dev.flyball.tracker.http.TrackerJson.number;
import static dev.flyball.tracker.http.TrackerJson.text;
import static dev.flyball.tracker.http.TrackerJson.texts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.PriorityNames;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
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
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one GitLab project, on gitlab.com or on a server. Confidential issues are read if the
 * token sees them; internal notes, which fewer people see than an issue, never are.
 *
 * <p>Source: docs.gitlab.com, REST API: Issues, Notes, Projects.
 */
public final class GitLabSource implements ListedSource {
  /** A change is stamped before its transaction is committed, and read from replicas. */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofMillis(1));

  private static final int PAGE = 100;

  /** Accounts that GitLab makes for access tokens of projects and groups. */
  private static final String BOT = "(project|group)_[0-9]+_bot.*";

  private final Place place;
  private final TrackerHttp http;
  private final SourceConfig.GitLab config;
  private final String project;

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public GitLabSource(SourceConfig.GitLab config, InstantSource clock, TrackerLimits limits) {
    // The token is read again for each request.
    var http = new TrackerHttp(config.url(), () -> headers(config.token()), clock, limits);
    var account = new Account(http, it -> http.get("/api/v4/user", it).json().path("id").asText());
    String query = TrackerCursor.mark(config.url().toString(), config.project());
    place = new Place(config.project(), TOLERANCE, query, account, http, clock);
    this.http = http;
    this.config = config;
    project = "/api/v4/projects/" + URLEncoder.encode(config.project(), StandardCharsets.UTF_8);
  }

  private static Map<String, String> headers(Credential token) {
    return Tokens.header(token, "Authorization", secret -> "Bearer " + secret);
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    String all = project + "/issues?scope=all&state=" + (fresh ? "opened" : "all");
    var pages =
        new ChangePages() {
          @Override
          public ChangePage from(@Nullable Instant since, int size) {
            String from = "&per_page=" + size + (since == null ? "" : "&updated_after=" + since);
            return page(http.get(all + "&order_by=updated_at&sort=asc" + from, permission));
          }

          @Override
          public ChangePage next(String link) {
            return page(http.get(link, permission));
          }
        };
    return new PagedListing("GitLab", TOLERANCE, pages).read(since);
  }

  private ChangePage page(TrackerResponse answer) {
    return page(answer, issues(answer), answer.next());
  }

  private List<ChangedEntry> issues(TrackerResponse answer) {
    return answer
        .list("", "GitLab: the list of issues is no list; is the source's url that of GitLab?")
        .valueStream()
        .map(this::read)
        .toList();
  }

  @Override
  public int revisitBatch() {
    return PAGE;
  }

  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    List<Long> numbers = ListedSource.numbers(keys);
    if (numbers.isEmpty()) {
      return Existing.of(keys, List.of());
    }
    String wanted = numbers.stream().map(it -> "&iids%5B%5D=" + it).collect(Collectors.joining());
    // A project that cannot be seen answers 404 here, so that its issues do not look deleted.
    var found = http.get(project + "/issues?scope=all&per_page=" + PAGE + wanted, permission);
    return Existing.of(keys, issues(found));
  }

  private ChangedEntry read(JsonNode json) {
    String id = number(json, "/iid");
    // Its last change of any kind.
    Instant changedAt = RawItem.time(text(json, "/updated_at"));
    return ChangedEntry.of(id, changedAt, json, () -> item(id, changedAt, json));
  }

  private RawItem item(String id, Instant changedAt, JsonNode json) {
    List<String> labels = texts(json.path("labels"), "");
    String state = text(json, "/state");
    return RawItem.of(config, id, text(json, "/title"))
        .description(text(json, "/description"), Markup.MARKDOWN)
        .type(type(text(json, "/issue_type")))
        .state(state, state.equals("closed"))
        .priority(PriorityNames.ofLabels(labels))
        .tags(labels)
        .url(text(json, "/web_url"))
        .changed(changedAt)
        .assignees(texts(json.path("assignees"), "username"))
        .comments(json.path("user_notes_count").asInt(RawItem.UNCOUNTED))
        .build();
  }

  /** {@code test_case} is Test case. */
  private static String type(String name) {
    String words = name.isBlank() ? "issue" : name.replace('_', ' ');
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  record User(String id, String username) {}

  /**
   * What is read of a note.
   *
   * @param system whether GitLab wrote it about a change
   * @param internal whether fewer people see it than the issue; older servers: confidential
   */
  @JsonNaming(SnakeCaseStrategy.class)
  record Note(
      String id,
      User author,
      String body,
      String createdAt,
      boolean system,
      boolean internal,
      boolean confidential) {
    Note {
      author = author == null ? new User("", "") : author;
    }
  }

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    String all = notes(item) + "&sort=asc&page=";
    return ListedSource.pages(item, PAGE, number -> notes(http.get(all + number, permission)))
        .stream()
        .filter(note -> !note.system)
        .map(note -> new Comment(note.id, note.author.id, note.body))
        .toList();
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    if (item.comments() == 0) {
      return List.of();
    }
    String address = notes(item.key().id()) + "&sort=desc";
    return HumanComment.latest(
        notes(http.getBesidePoll(address, permission)).stream()
            .filter(note -> !note.system && !note.internal && !note.confidential)
            .filter(note -> !note.author.username.matches(BOT))
            .map(note ->
                HumanComment.of(note.author.username, note.createdAt, MarkdownText.of(note.body)))
            .toList());
  }

  private String notes(String item) {
    return project + "/issues/" + item + "/notes?order_by=created_at&per_page=" + PAGE;
  }

  private static List<Note> notes(TrackerResponse answer) {
    return answer.list("", Note.class, "GitLab's notes are no list; try again later");
  }

  @Override
  public void check(RequestPermission permission) {
    JsonNode answer = http.get(project, permission).json();
    String name = answer.path("path_with_namespace").asText();
    if (!name.equalsIgnoreCase(config.project())) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "project " + config.project() + " is called " + name + " now; correct sources[].project");
    }
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String notes = project + "/issues/" + item + "/notes";
    JsonNode written = http.send("POST", notes, json(body), permission).json();
    place.account().wrote(TrackerJson.read(written, Note.class).author.id);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    String note = project + "/issues/" + item + "/notes/" + comment;
    http.send("PUT", note, json(body), permission);
  }

  private static Map<String, String> json(CommentBody body) {
    return Map.of("body", body.markdown());
  }
}
