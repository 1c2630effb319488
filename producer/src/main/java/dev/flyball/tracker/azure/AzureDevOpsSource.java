package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.HumanComment;
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
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListedSource;
import dev.flyball.tracker.paging.TrackerCursor;
import dev.flyball.tracker.text.CleanText;
import dev.flyball.tracker.text.MarkdownText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Azure DevOps by REST. A query finds ids by when they changed, in as many windows as needed; their
 * fields are read in batches, and a long list in several polls. Items in the overlap are read
 * again; the caller holds back what was published. Comments are in HTML.
 *
 * <p>Source: learn.microsoft.com, Work Item Tracking REST API 7.1; its comments are a preview
 * version.
 */
public final class AzureDevOpsSource implements ListedSource {
  /** How late a change may appear in queries, which read an index. */
  static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofHours(1), Duration.ofMillis(1));

  /** Items of one poll: they are held in memory, and committed together. */
  private static final int ENOUGH = 2_000;

  /** An item unchanged for this long when a poll began was surely not edited during the poll. */
  private static final Duration REST = Duration.ofMinutes(1);

  /** By how much our clock may be ahead of the tracker's. */
  private static final Duration CLOCK_DOUBT = Duration.ofMinutes(5);

  private static final String VERSION = "api-version=7.1-preview.4";
  private static final int COMMENTS = 200;

  /** Read for an item's text: more than become part of it, as some may be of programs. */
  private static final int LATEST = 50;

  /** The beginning of a service account's descriptor; those of people begin otherwise. */
  private static final Pattern SERVICE = Pattern.compile("svc\\.|s2s\\.|aadsp\\.");

  /** The limit for a discussion of 20,000 comments, or a server that repeats its continuation. */
  private static final int MOST_PAGES = 100;

  private static final String ADVICE = "narrow sources[].query";
  private static final List<String> ID_ONLY = List.of(AzureItem.ID);

  /** Whose token it is. */
  private static final String US =
      "/_apis/connectionData?connectOptions=none&api-version=7.1-preview";

  private final Place listed;
  private final TrackerHttp http;
  private final SourceConfig.AzureDevOps config;
  private final AzurePlace place;
  private final Wiql query;

  /**
   * The fields to read, without those that the organisation does not know; used by the one polling
   * thread.
   */
  private final List<String> fields = new ArrayList<>(AzureItem.FIELDS);

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public AzureDevOpsSource(
      SourceConfig.AzureDevOps config, InstantSource clock, TrackerLimits limits) {
    var place = AzurePlace.of(config.url());
    var http =
        new TrackerHttp(
            place.organisation(),
            () -> Tokens.header(config.token(), "Authorization", AzureRest::header),
            clock,
            limits);
    var account =
        new Account(http, it -> http.get(US, it).json().at("/authenticatedUser/id").asText());
    String mark = TrackerCursor.mark(config.url().toString(), config.query());
    listed = new Place(config.key(), TOLERANCE, mark, account, http, clock);
    this.http = http;
    this.config = config;
    this.query = Wiql.parse(config.query());
    this.place = place;
  }

  @Override
  public Place place() {
    return listed;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    Instant now = listed.clock().instant();
    AzureRest rest = rest(permission);
    var windows =
        new Bisection(
            ChangedWindow.since(since),
            now,
            ADVICE,
            window -> rest.query(query.changedIn(window, ID_ONLY)));
    return read(since, windows, rest, now);
  }

  private AzureRest rest(RequestPermission permission) {
    return new AzureRest(http, place, config.key(), fields, permission);
  }

  @Override
  public int revisitBatch() {
    return AzureRest.BATCH;
  }

  /**
   * What is missing from every batch was deleted if a query does not find it either. To an account
   * that can no longer see the project all would look deleted, and the query of the project fails.
   */
  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    AzureRest rest = rest(permission);
    List<Long> ids = ListedSource.numbers(keys);
    Existing found = Existing.of(keys, ids.isEmpty() ? List.of() : items(ids, rest));
    List<Long> missing = ListedSource.numbers(List.copyOf(found.gone()));
    if (missing.isEmpty()) {
      return found;
    }
    var gone = new HashSet<>(found.gone());
    switch (rest.query(Wiql.byId(missing, ID_ONLY))) {
      case AzureRest.Found.All visible ->
          visible.items().forEach(id -> gone.removeIf(key -> key.id().equals(Long.toString(id))));
      case AzureRest.Found.TooMuch tooMuch ->
          throw new SourceFailure(
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next check");
    }
    return new Existing(found.entries(), gone);
  }

  private List<ChangedEntry> items(List<Long> ids, AzureRest rest) {
    return rest.items(ids).stream().map(json -> AzureItem.read(json, config, place)).toList();
  }

  record Entry(String id, Person createdBy, String createdDate, String text, String format) {
    Entry {
      createdBy = createdBy == null ? new Person("", "", "") : createdBy;
    }

    String clean() {
      return format.equalsIgnoreCase("markdown") ? MarkdownText.of(text) : CleanText.of(text);
    }
  }

  record Person(String id, String displayName, String descriptor) {}

  @Override
  public List<Comment> written(String item, RequestPermission permission) {
    var all = new ArrayList<Comment>();
    String first = path(item) + "?$top=" + COMMENTS + "&order=asc&" + VERSION;
    String next = first;
    for (int pages = 0; pages < MOST_PAGES; pages++) {
      TrackerResponse page = http.get(next, permission);
      entries(page, item)
          .forEach(one -> all.add(new Comment(one.id, one.createdBy.id, CleanText.of(one.text))));
      String token = page.json().path("continuationToken").asText();
      if (token.isEmpty()) {
        return all;
      }
      next = first + "&continuationToken=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
    }
    throw new SourceFailure(
        Category.MALFORMED, "comments of work item " + item + " have no end; nothing is written");
  }

  @Override
  public List<HumanComment> comments(RawItem item, RequestPermission permission) {
    if (item.comments() == 0) {
      return List.of();
    }
    String id = item.key().id();
    String newest = path(id) + "?$top=" + LATEST + "&order=desc&" + VERSION;
    return HumanComment.latest(
        entries(http.getBesidePoll(newest, permission), id).stream()
            .filter(one -> !SERVICE.matcher(one.createdBy.descriptor).lookingAt())
            .map(one -> HumanComment.of(one.createdBy.displayName, one.createdDate, one.clean()))
            .toList());
  }

  private static List<Entry> entries(TrackerResponse answer, String item) {
    return answer.list(
        "/comments",
        Entry.class,
        "comments of work item " + item + " are no list; try again later");
  }

  @Override
  public void check(RequestPermission permission) {
    var _ = http.get(place.project() + "/_apis/wit/workitemtypes?api-version=7.1", permission);
  }

  @Override
  public void add(String item, CommentBody body, RequestPermission permission) {
    String path = path(item) + "?" + VERSION;
    JsonNode written = http.send("POST", path, json(body), permission).json();
    listed.account().wrote(TrackerJson.read(written, Entry.class).createdBy.id);
  }

  @Override
  public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
    http.send("PATCH", path(item) + "/" + comment + "?" + VERSION, json(body), permission);
  }

  private String path(String item) {
    return place.project() + "/_apis/wit/workItems/" + item + "/comments";
  }

  private static Map<String, String> json(CommentBody body) {
    return Map.of("text", body.html());
  }

  /**
   * Reads what changed, the oldest change first. The reading ends early when it has enough items
   * for one poll, or where the tracker asks for a long pause, but only where time advanced, so that
   * the next poll can continue from there.
   *
   * @param since from when the windows begin; null for the beginning
   * @param windows what changed, not read yet
   * @param now our clock, where the tracker does not name its own time
   */
  private ListResult read(@Nullable Instant since, Bisection windows, AzureRest rest, Instant now) {
    var read = new LinkedHashMap<String, ChangedEntry>();
    Instant began = null;
    Instant reached = since;
    do {
      List<Long> found = windows.next(ENOUGH).stream().distinct().toList();
      if (began == null) {
        Instant asOf = windows.asOf();
        began = asOf == null ? now.minus(CLOCK_DOUBT) : asOf;
      }
      for (int from = 0; from < found.size(); from += AzureRest.BATCH) {
        int to = Math.min(from + AzureRest.BATCH, found.size());
        for (ChangedEntry item : items(found.subList(from, to), rest)) {
          reached = later(reached, item, began);
          read.put(item.change(), item);
        }
        boolean advanced = reached != null && !reached.equals(since);
        boolean more = to < found.size() || !windows.done();
        if (more && advanced && (read.size() >= ENOUGH || rest.wantsRest())) {
          return new ListResult(List.copyOf(read.values()), began, rest.longestPause(), reached);
        }
      }
    } while (!windows.done());
    return new ListResult(List.copyOf(read.values()), began, rest.longestPause(), null);
  }

  /**
   * The time from which to continue after this item. Results are ordered by when items were
   * changed, but an item that was edited after the query shows a later time, and continuing from
   * there would leave out what lies between.
   */
  private static @Nullable Instant later(
      @Nullable Instant place, ChangedEntry item, Instant began) {
    Instant from = item.changedAt().minus(TOLERANCE.grain());
    boolean resting = item.changedAt().isBefore(began.minus(REST));
    boolean known = !item.changedAt().equals(Instant.EPOCH);
    return known && resting && (place == null || from.isAfter(place)) ? from : place;
  }
}
