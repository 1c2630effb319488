package dev.flyball.tracker.linear;

import static dev.flyball.tracker.http.TrackerJson.text;
import static dev.flyball.tracker.http.TrackerJson.texts;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Account;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerHttp.Request;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Issues of one Linear team, by GraphQL. An item's id is its identifier, for example {@code
 * ENG-12}, because people use it; an issue that moves to another team is deleted here and new
 * there. What was archived or put into the bin is closed.
 *
 * <p>Sources: linear.app/developers, and the schema in the repository linear/linear, against which
 * each query here was validated as it is in version 98 of the package {@code @linear/sdk}.
 */
public final class LinearSource implements ListedSource {
  /** A change is stamped before it can be read, by one of many machines. */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(2), Duration.ofMillis(1));

  /** Issues of a page. Each counts for the 27 objects and fields that it may have at most. */
  private static final int PAGE = 50;

  /** States in which no work is wanted, by their types; people choose the names. */
  private static final Set<String> DONE = Set.of("completed", "canceled", "duplicate");

  /** The team is asked for with each list: a key that it does not know would find no issues. */
  private static final String LIST =
      """
      query($team: String!, $filter: IssueFilter!, $first: Int!, $after: String) {
        teams(filter: {key: {eq: $team}}, first: 1) { nodes { key } }
        issues(filter: $filter, first: $first, after: $after, includeArchived: true,
            sort: [{updatedAt: {order: Ascending}}]) {
          nodes {
            identifier title description priority url updatedAt archivedAt trashed
            state { name type } labels(first: 20) { nodes { name } }
            assignee { id name displayName email }
          }
          pageInfo { hasNextPage endCursor }
        }
      }\
      """;

  private static final String COMMENTS =
      """
      query($issue: String!, $filter: CommentFilter) {
        issue(id: $issue) {
          comments(first: 100, filter: $filter) {
            nodes {
              id body createdAt
              user { id displayName app } externalUser { displayName } botActor { type }
            }
          }
        }
      }\
      """;

  private final Place place;
  private final TrackerHttp http;
  private final SourceConfig.Linear config;

  /** Sends no request yet. */
  public LinearSource(SourceConfig.Linear config, InstantSource clock, TrackerLimits limits) {
    var http =
        new TrackerHttp(
            config.url(),
            () -> Tokens.header(config.token(), "Authorization", LinearSource::header),
            clock,
            limits);
    String us = "query { viewer { id } }";
    var account =
        new Account(http, it -> text(ask(http, us, Map.of(), false, it).json(), "/data/viewer/id"));
    String query = TrackerCursor.mark(config.url().toString(), config.team());
    place = new Place(config.team(), TOLERANCE, query, account, http, clock);
    this.http = http;
    this.config = config;
  }

  /** A personal key is sent as it is, a token of OAuth as a bearer token. */
  static String header(String token) {
    return token.startsWith("lin_api_") ? token : "Bearer " + token;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    var pages =
        new ChangePages() {
          private Map<String, Object> filter = Map.of();
          private int first;

          @Override
          public ChangePage from(@Nullable Instant since, int size) {
            filter = new TreeMap<>();
            if (fresh) {
              filter.put("state", Map.of("type", Map.of("nin", DONE)));
            }
            if (since != null) {
              filter.put("updatedAt", Map.of("gte", since.toString()));
            }
            first = Math.min(size, PAGE);
            return next("");
          }

          @Override
          public ChangePage next(String cursor) {
            return page(issues(filter, first, cursor, permission));
          }
        };
    return new PagedListing("Linear", TOLERANCE, pages).read(since);
  }

  private ChangePage page(TrackerResponse answer) {
    List<ChangedEntry> issues = read(answer);
    JsonNode info = answer.json().at("/data/issues/pageInfo");
    boolean more = info.path("hasNextPage").asBoolean() && !issues.isEmpty();
    if (more && issues.getFirst().changedAt().isAfter(issues.getLast().changedAt())) {
      // The cursor would pass what the other pages hold.
      throw new SourceFailure(
          Category.MALFORMED, "Linear: the list is not sorted as asked; report it with the log");
    }
    return page(answer, issues, more ? info.path("endCursor").asText() : null);
  }

  /** Asks for issues of the team; fails if it cannot be seen: all of them would look deleted. */
  private TrackerResponse issues(
      Map<String, Object> filter, int first, String after, RequestPermission permission) {
    String team = config.team();
    var narrowed = new TreeMap<>(filter);
    narrowed.put("team", Map.of("key", Map.of("eq", team)));
    var variables =
        new TreeMap<String, Object>(Map.of("team", team, "filter", narrowed, "first", first));
    if (!after.isEmpty()) {
      variables.put("after", after);
    }
    TrackerResponse answer = ask(http, LIST, variables, false, permission);
    if (answer.list("/data/teams/nodes", "Linear: no teams; is the url its API's?").isEmpty()) {
      throw new SourceFailure(
          Category.NOT_FOUND,
          "Linear: the token sees no team " + config.team() + "; correct sources[].team");
    }
    return answer;
  }

  @Override
  public int revisitBatch() {
    return PAGE;
  }

  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    String team = config.team() + "-";
    List<Integer> numbers =
        keys.stream()
            .map(ItemKey::id)
            .filter(id -> id.matches(team + "[1-9][0-9]{0,8}"))
            .map(id -> Integer.valueOf(id.substring(team.length())))
            .toList();
    Map<String, Object> wanted = Map.of("number", Map.of("in", numbers));
    return Existing.of(keys, read(issues(wanted, PAGE, "", permission)));
  }

  private List<ChangedEntry> read(TrackerResponse answer) {
    return answer
        .list("/data/issues/nodes", "Linear: no list of issues; is the url its API's?")
        .valueStream()
        .map(this::read)
        .toList();
  }

  private ChangedEntry read(JsonNode json) {
    String id = text(json, "/identifier");
    Instant changedAt = RawItem.time(text(json, "/updatedAt"));
    return ChangedEntry.of(id, changedAt, json, () -> item(id, changedAt, json));
  }

  private RawItem item(String id, Instant changedAt, JsonNode json) {
    boolean away = json.path("trashed").asBoolean() || !text(json, "/archivedAt").isEmpty();
    int priority = json.path("priority").asInt();
    return RawItem.of(config, id, text(json, "/title"))
        .description(text(json, "/description"), Markup.MARKDOWN)
        .type("Issue")
        .state(text(json, "/state/name"), away || DONE.contains(text(json, "/state/type")))
        // 0 is none; 1 is the most urgent of four.
        .priority(priority > 0 ? priority : RawItem.MIDDLE_PRIORITY)
        .tags(texts(json.at("/labels/nodes"), "name"))
        .url(text(json, "/url"))
        .changed(changedAt)
        .assignees(
            Stream.of("id", "name", "displayName", "email")
                .map(name -> text(json, "/assignee/" + name))
                .toList())
        .build();
  }

  /** Linear puts a backslash before signs of markup. */
  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    var filter = Map.of("body", Map.of("contains", CommentBody.MARKER));
    return discussion(Map.of("issue", item, "filter", filter), permission)
        .map(one ->
            new Comment(
                text(one, "/id"),
                text(one, "/user/id"),
                text(one, "/body").replaceAll("\\\\(\\p{Punct})", "$1")))
        .toList();
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return HumanComment.latest(
        discussion(Map.of("issue", item.key().id()), permission)
            .filter(one -> !one.path("botActor").isObject())
            .filter(one -> !one.at("/user/app").asBoolean())
            .map(one ->
                HumanComment.of(
                    text(one, "/user/displayName") + text(one, "/externalUser/displayName"),
                    text(one, "/createdAt"),
                    MarkdownText.of(text(one, "/body"))))
            .toList()
            .reversed());
  }

  private Stream<JsonNode> discussion(Map<String, Object> asked, RequestPermission permission) {
    return ask(http, COMMENTS, asked, true, permission)
        .list("/data/issue/comments/nodes", "Linear: no comments; try again later")
        .valueStream()
        .sorted(Comparator.comparing(one -> text(one, "/createdAt")));
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = issues(Map.of(), 1, "", permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String query =
        "mutation($issue: String!, $body: String!) {"
            + " commentCreate(input: {issueId: $issue, body: $body}) { comment { user { id } } } }";
    var comment = Map.<String, Object>of("issue", item, "body", body.markdown());
    JsonNode written = ask(http, query, comment, false, permission).json();
    place.account().wrote(text(written, "/data/commentCreate/comment/user/id"));
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    String query =
        "mutation($id: String!, $body: String!) {"
            + " commentUpdate(id: $id, input: {body: $body}) { success } }";
    var edited = Map.<String, Object>of("id", comment, "body", body.markdown());
    var _ = ask(http, query, edited, false, permission);
  }

  /**
   * Asks.
   *
   * @param waits whether it waits for pauses that an answer asked for, beside a poll
   * @throws SourceFailure also for an error in an answer that is a success for HTTP
   */
  private static TrackerResponse ask(
      TrackerHttp http,
      String query,
      Map<String, Object> variables,
      boolean waits,
      RequestPermission permission) {
    var body = Map.of("query", query, "variables", variables);
    TrackerResponse answer =
        http.ask(new Request("POST", "/graphql", Map.of(), body, Set.of(400), waits), permission);
    JsonNode error = answer.json().path("errors").path(0);
    if (answer.status() != 400 && error.isMissingNode()) {
      return answer;
    }
    String code = text(error, "/extensions/code");
    String said = error.path("message").asText("no reason");
    // The codes are the same with the status 200 and 400.
    Category category =
        switch (code) {
          case "RATELIMITED" -> Category.RATE_LIMITED;
          case "AUTHENTICATION_ERROR", "FORBIDDEN", "FEATURE_NOT_ACCESSIBLE" -> Category.AUTH;
          case "INTERNAL_SERVER_ERROR", "LOCK_TIMEOUT" -> Category.UNREACHABLE;
          default -> Category.NOT_FOUND;
        };
    String line = AsciiLine.part(http.redacted("Linear: " + code + ": " + said));
    String fix = "; wait if it is a limit, else check the token, its rights and the team";
    var failure =
        new SourceFailure(new TrackerFailure(category, line + fix, answer.retryAfter()), null);
    throw said.contains("too complex") ? failure.askingTooMuch() : failure;
  }
}
