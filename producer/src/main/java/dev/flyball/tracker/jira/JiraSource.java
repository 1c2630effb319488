package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
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
import dev.flyball.tracker.http.TrackerHttp.Request;
import dev.flyball.tracker.http.TrackerJson;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.http.TrackerResponse;
import dev.flyball.tracker.paging.ChangePage;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListedSource;
import dev.flyball.tracker.paging.PagedListing;
import dev.flyball.tracker.paging.TrackerCursor;
import dev.flyball.tracker.text.AdfText;
import dev.flyball.tracker.text.CleanText;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Issues of Jira that a query finds. An item's id is its key, because people use it; an issue that
 * moves to another project is deleted here and new there. Cloud has comments in Atlassian Document
 * Format, Data Center in wiki markup, of which it also gives the HTML of its page.
 *
 * <p>Sources: developer.atlassian.com, Jira Cloud REST API v3 and Jira Data Center REST API v2.
 */
public final class JiraSource implements ListedSource {
  /**
   * Search is eventually consistent: an issue appears some time after it was changed, and Atlassian
   * names no upper limit for that. Queries compare whole minutes.
   */
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(10), Duration.ofMinutes(1));

  private static final int FETCHED_AT_ONCE = 100;
  private static final int COMMENTS = 100;
  private static final Set<Integer> GONE = Set.of(404);

  private final Place place;
  private final TrackerHttp http;
  private final SourceConfig.Jira config;

  private final String api;

  private final LoginCheck login;
  private final Jql query;
  private final JiraLateChanges late = new JiraLateChanges();

  /** Where people read issues: the site; null where Jira is asked by Atlassian's common gateway. */
  private final @Nullable URI site;

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   * @throws IllegalArgumentException if no condition can be added to the query
   */
  public JiraSource(SourceConfig.Jira config, InstantSource clock, TrackerLimits limits) {
    String api = config.dataCenter() ? "/rest/api/2" : "/rest/api/3";
    var http =
        new TrackerHttp(
            config.url(),
            () ->
                Tokens.header(
                    config.token(), "Authorization", token -> header(config.user(), token)),
            clock,
            limits);
    var account =
        new Account(
            http, it -> TrackerJson.read(http.get(api + "/myself", it).json(), Person.class).id());
    String mark = TrackerCursor.mark(config.url().toString(), config.query());
    place = new Place(config.key(), TOLERANCE, mark, account, http, clock);
    this.http = http;
    this.config = config;
    this.api = api;
    login = new LoginCheck(config.token(), clock, this::checkLogin);
    query = Jql.of(config.query());
    String path = config.url().getPath();
    boolean root = path == null || path.isEmpty() || path.equals("/");
    site = root || config.dataCenter() ? config.url() : null;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    login.check(permission);
    JiraSearch search = search(permission);
    return late.completed(new PagedListing("Jira", TOLERANCE, search).read(since), since, search);
  }

  private JiraSearch search(RequestPermission permission) {
    return new JiraSearch(
        http,
        config.dataCenter(),
        query,
        json -> JiraIssue.read(json, config, site),
        place.clock(),
        permission);
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return ListedSource.super.horizon(cursor).map(from -> from.minus(JiraLateChanges.WINDOW));
  }

  @Override
  public int revisitBatch() {
    return FETCHED_AT_ONCE;
  }

  /**
   * One that moved to another project comes under its new key, and is another item. What Jira could
   * not fetch for now is listed as an error and may still exist, as may an issue without a key.
   * What does not exist, or is not visible to us, is in neither list.
   */
  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    JiraSearch.Fetched fetched = search(permission).fetch(keys.stream().map(ItemKey::id).toList());
    List<ChangedEntry> issues = fetched.page().items();
    var gone = new HashMap<String, ItemKey>();
    keys.forEach(key -> gone.put(key.id(), key));
    List<ChangedEntry> found =
        issues.stream().filter(issue -> gone.remove(issue.id()) != null).toList();
    boolean unsure = issues.stream().anyMatch(issue -> issue.id().isEmpty());
    for (String failed : fetched.failed()) {
      // An error under another name may concern any of them.
      unsure |= gone.remove(failed) == null;
    }
    if (unsure) {
      gone.clear();
    }
    // An index that is being rebuilt lacks issues for hours; the issue itself is always there.
    gone.keySet().removeIf(key -> config.dataCenter() && exists(key, permission));
    if (!gone.isEmpty()) {
      login.checkNow(permission);
    }
    return new Existing(found, Set.copyOf(gone.values()));
  }

  private boolean exists(String key, RequestPermission permission) {
    String path = api + "/issue/" + URLEncoder.encode(key, StandardCharsets.UTF_8);
    var request = new Request("GET", path + "?fields=updated", Map.of(), null, GONE, false);
    return http.ask(request, permission).json().path("key").asText().equals(key);
  }

  /**
   * What is read of a comment; a visibility restricts who may read it.
   *
   * @param renderedBody of Data Center, as its page shows it
   */
  record Entry(
      String id,
      Person author,
      String created,
      JsonNode body,
      String renderedBody,
      @Nullable JsonNode visibility,
      @Nullable Boolean jsdPublic) {
    Entry {
      author = author == null ? new Person("", "", "", "") : author;
      body = body == null ? MissingNode.getInstance() : body;
    }

    boolean isForEveryone() {
      return (visibility == null || visibility.isNull()) && !Boolean.FALSE.equals(jsdPublic);
    }

    /** The text of our comments, which are three blocks, each of one text; or wiki markup. */
    String plain() {
      if (body.isTextual()) {
        return body.asText();
      }
      var text = new StringBuilder();
      for (JsonNode block : body.path("content")) {
        block.path("content").forEach(part -> text.append(part.path("text").asText()));
        text.append('\n');
      }
      return text.toString();
    }
  }

  record Person(String accountId, String key, String displayName, String accountType) {
    String id() {
      return accountId.isEmpty() ? key : accountId;
    }
  }

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    int total = 1;
    while (all.size() < total) {
      String next = path(item) + "?maxResults=" + COMMENTS + "&startAt=" + all.size();
      TrackerResponse answer = http.get(next, permission);
      List<Entry> page = entries(answer, item);
      total = answer.json().path("total").asInt(-1);
      if (total < 0 || (page.isEmpty() && all.size() < total)) {
        throw new SourceFailure(
            Category.MALFORMED, "comments of " + item + " end before their total; try again");
      }
      page.forEach(one -> all.add(new Comment(one.id, one.author.id(), one.plain())));
    }
    return all;
  }

  /** Without comments that not all readers of the issue may read: an analysis could repeat them. */
  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    String newest = path(item.key().id()) + "?orderBy=-created&maxResults=" + COMMENTS + shown();
    TrackerResponse answer = http.getBesidePoll(newest, permission);
    checkLogin(answer);
    return HumanComment.latest(
        entries(answer, item.key().id()).stream()
            .filter(one -> one.isForEveryone() && !one.author.accountType.equals("app"))
            .map(one -> HumanComment.of(one.author.displayName, one.created, clean(one)))
            .toList());
  }

  private String shown() {
    return config.dataCenter() ? "&expand=renderedBody" : "";
  }

  private String clean(Entry one) {
    return config.dataCenter()
        ? CleanText.of(one.renderedBody)
        : AdfText.of(RecordJson.write(one.body));
  }

  private static List<Entry> entries(TrackerResponse answer, String item) {
    return answer.list(
        "/comments", Entry.class, "Jira returned no comments of " + item + "; try again later");
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(api + "/myself", permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    JsonNode written = http.send("POST", path(item), json(body), permission).json();
    place.account().wrote(TrackerJson.read(written, Entry.class).author.id());
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PUT", path(item) + "/" + comment, json(body), permission);
  }

  private String path(String item) {
    return api + "/issue/" + item + "/comment";
  }

  private JsonNode json(CommentBody body) {
    if (config.dataCenter()) {
      return JsonNodeFactory.instance.objectNode().put("body", body.wiki());
    }
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    ObjectNode root = document.putObject("body").put("type", "doc").put("version", 1);
    ArrayNode blocks = root.putArray("content");
    text(blocks.addObject().put("type", "paragraph"), body.heading());
    text(blocks.addObject().put("type", "codeBlock"), body.answer());
    text(blocks.addObject().put("type", "paragraph"), body.marker());
    return document;
  }

  private static void text(ObjectNode block, String text) {
    ArrayNode content = block.putArray("content");
    if (!text.isEmpty()) {
      content.addObject().put("type", "text").put("text", text);
    }
  }

  private static String header(@Nullable String user, String token) {
    byte[] pair = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
    return user == null ? "Bearer " + token : "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  /** Fails if there is no project that we can see. */
  private void checkLogin(RequestPermission permission) {
    // Data Center refuses a token that has expired, and here anybody without one.
    String path = config.dataCenter() ? "/myself" : "/mypermissions?permissions=BROWSE_PROJECTS";
    TrackerResponse answer = http.get(api + path, permission);
    checkLogin(answer);
    JsonNode sees = answer.json().at("/permissions/BROWSE_PROJECTS/havePermission");
    if (!sees.asBoolean(true)) {
      throw refused("sees no project");
    }
  }

  /**
   * Fails if an answer's headers say that the login was not accepted.
   *
   * <p>Sources: MrRefactoring/jira.js#418 with the header of such an answer, n8n-io/n8n#16325.
   */
  static void checkLogin(TrackerResponse answer) {
    boolean failed =
        answer.headers().allValues("X-Seraph-LoginReason").stream()
            .anyMatch(reason -> reason.contains("FAILED") || reason.contains("DENIED"));
    if (failed) {
      throw refused("is not let in");
    }
  }

  private static SourceFailure refused(String what) {
    return new SourceFailure(
        Category.AUTH,
        "Jira: the account " + what + "; its token may have expired, or lacks Browse Projects");
  }

  /**
   * Finds changes that Jira's index shows only after polls have moved past their time. It lists
   * once an hour which issues were changed when during the last 12 hours, and fetches those whose
   * change no poll has listed. A restart forgets what was listed: those 12 hours are then fetched
   * again, and the caller holds back what was published. One thread.
   */
  static final class JiraLateChanges {
    /** How late a change may appear. Delays of two hours and more were reported. */
    static final Duration WINDOW = Duration.ofHours(12);

    private static final Duration EVERY = Duration.ofHours(1);

    /** Most issues fetched by one check; the next check continues. */
    private static final int MOST = 2_000;

    private static final int MOST_PAGES = 100;

    private static final int FETCHED_TOGETHER = 100;

    /** A fetch counts once repeated: the poll of the first may not have been committed. */
    private static final int SURE = 2;

    private final Map<String, Seen> seen = new HashMap<>();
    private @Nullable Instant checked;

    /**
     * A change that was listed or fetched.
     *
     * @param times how often it was fetched; {@link #SURE} if a poll listed it
     */
    private record Seen(Instant changedAt, int times) {}

    /**
     * Adds late changes to what a poll has listed, where a check is due.
     *
     * @param since from where the poll listed changes; null for the beginning
     */
    ListResult completed(ListResult listed, @Nullable Instant since, JiraSearch search) {
      Instant from = listed.began().minus(WINDOW);
      seen.values().removeIf(change -> change.changedAt().isBefore(from.minus(EVERY)));
      listed.items().stream()
          .filter(issue -> !issue.changedAt().isBefore(from))
          .forEach(issue -> seen.put(issue.change(), new Seen(issue.changedAt(), SURE)));
      boolean due = checked == null || !listed.began().isBefore(checked.plus(EVERY));
      if (!due || listed.place() != null || listed.pause().isPositive()) {
        return listed;
      }
      checked = listed.began();
      if (since == null || !from.isBefore(since)) {
        return listed;
      }
      var items = new ArrayList<>(listed.items());
      Duration pause = fetch(unseen(search, from, since), search, items);
      return new ListResult(items, listed.began(), pause, null);
    }

    private Map<String, ChangedEntry> unseen(JiraSearch search, Instant from, Instant to) {
      var unseen = new LinkedHashMap<String, ChangedEntry>();
      ChangePage page = search.times(from, to);
      for (int pages = 1; ; pages++) {
        for (ChangedEntry issue : page.items()) {
          Seen before = seen.get(issue.change());
          if (!issue.id().isEmpty() && (before == null || before.times() < SURE)) {
            unseen.put(issue.id(), issue);
          }
        }
        if (page.next() == null || page.pause().isPositive() || pages >= MOST_PAGES) {
          return unseen;
        }
        page = search.next(page.next());
      }
    }

    private Duration fetch(
        Map<String, ChangedEntry> unseen, JiraSearch search, List<ChangedEntry> items) {
      List<String> keys = unseen.keySet().stream().limit(MOST).toList();
      Duration pause = Duration.ZERO;
      for (int first = 0; first < keys.size() && !pause.isPositive(); first += FETCHED_TOGETHER) {
        List<String> batch = keys.subList(first, Math.min(first + FETCHED_TOGETHER, keys.size()));
        ChangePage page = search.fetch(batch).page();
        items.addAll(page.items());
        pause = page.pause();
        for (String key : batch) {
          ChangedEntry issue = unseen.get(key);
          if (issue != null) {
            seen.merge(
                issue.change(),
                new Seen(issue.changedAt(), 1),
                (before, now) -> new Seen(before.changedAt(), before.times() + 1));
          }
        }
      }
      return pause;
    }
  }
}
