package dev.flyball.tracker.azure;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.azure.wiql.Bisection;
import dev.flyball.tracker.azure.wiql.ChangedWindow;
import dev.flyball.tracker.azure.wiql.ChangedWindow.Precision;
import dev.flyball.tracker.azure.wiql.Found;
import dev.flyball.tracker.azure.wiql.Wiql;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.paging.ChangeFeed;
import dev.flyball.tracker.paging.ChangeTolerance;
import dev.flyball.tracker.paging.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Azure DevOps by REST. A query finds ids by when they changed, in as many windows as needed; their
 * fields are read in batches, and a long list in several polls. Items in the overlap are read
 * again; the caller holds back what was published.
 */
public final class AzureDevOpsSource implements Source {
  /** How late a change may appear in queries, which read an index. */
  static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofHours(1), Duration.ofMillis(1));

  private static final String ADVICE = "narrow sources[].query";
  private static final List<String> ID_ONLY = List.of(AzureItem.ID);

  private final SourceConfig.AzureDevOps config;
  private final InstantSource clock;
  private final RequestPauses.Sleeper sleeper;
  private final AzurePlace place;
  private final TrackerHttp http;
  private final ChangeFeed<AzureItem> feed;

  /**
   * How finely the project's queries compare times; DAY once it rejected a time. Written and read
   * by the one polling thread.
   */
  private Precision precision = Precision.TIME;

  /**
   * The fields to read, without those that the organisation does not know; used by the same thread.
   */
  private List<String> fields = AzureItem.FIELDS;

  /** Sends no request yet. */
  public AzureDevOpsSource(SourceConfig.AzureDevOps config, InstantSource clock) {
    this(config, clock, new TrackerLimits());
  }

  /**
   * Sends no request yet.
   *
   * @param limits shared with other sources
   */
  public AzureDevOpsSource(
      SourceConfig.AzureDevOps config, InstantSource clock, TrackerLimits limits) {
    this(config, clock, limits, Thread::sleep);
  }

  /** With another way to wait. */
  AzureDevOpsSource(
      SourceConfig.AzureDevOps config,
      InstantSource clock,
      TrackerLimits limits,
      RequestPauses.Sleeper sleeper) {
    this.config = config;
    this.clock = clock;
    this.sleeper = sleeper;
    this.place = AzurePlace.of(config.url());
    this.http = new TrackerHttp(place.organisation(), this::login, clock, limits);
    this.feed =
        new ChangeFeed<>(
            "Azure DevOps",
            config.key(),
            TOLERANCE,
            mark(config.url().toString(), config.query()),
            this::item,
            http::requests);
  }

  /** The mark of a query. It never changes: cursors in poll-state were marked with it. */
  static String mark(String place, String query) {
    return Fingerprint.of(new TreeMap<>(Map.of("place", place, "query", query)))
        .hash()
        .substring(0, 8);
  }

  private RawItem item(AzureItem item, long at) {
    return item.item(config.tenant(), config.name(), place.page(item.id()), at);
  }

  private Map<String, String> login() {
    return Tokens.read(config.token()).map(AzureLogin::header).orElse(Map.of());
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    return feed.poll(
        cursor,
        fresh -> {
          var query = new ConfiguredQuery(config.key(), config.query());
          var pace = new RequestPauses(sleeper, config.key());
          return since -> read(query, new Poll(rest(pace, permission), pace), since);
        });
  }

  private ListResult<AzureItem> read(ConfiguredQuery query, Poll poll, @Nullable Instant since) {
    Instant now = clock.instant();
    AzureListing.Windows<Long> windows =
        from ->
            new Bisection<>(
                ChangedWindow.since(from, precision),
                now,
                ADVICE,
                window -> poll.rest().query(query.changedIn(window, ID_ONLY)));
    try {
      return new AzureListing<>(windows, poll, now).read(since);
    } catch (AzureRest.OnlyDays e) {
      if (precision == Precision.DAY) {
        throw new SourceFailure(
            Category.NOT_FOUND,
            config.key() + ": the query compares a date with a time; write days in it");
      }
      precision = Precision.DAY;
      return read(query, poll, since);
    }
  }

  private AzureRest rest(RequestPauses pace, RequestPermission permission) {
    return new AzureRest(http, place, config.key(), pace, permission);
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return Optional.of(feed.horizon(cursor));
  }

  @Override
  public boolean goesOn(String cursor) {
    return feed.goesOn(cursor);
  }

  @Override
  public int revisitBatch() {
    return AzureRest.BATCH;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    int before = http.requests();
    try {
      var asked = new RevisitedKeys(keys);
      AzureRest rest = rest(new RequestPauses(sleeper, config.key()), permission);
      List<AzureItem> answer = asked.ids().isEmpty() ? List.of() : items(asked.ids(), rest);
      Set<Long> gone = confirmed(asked.missing(answer), rest);
      return asked.seen(answer, this::item, gone, http.requests() - before);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  /**
   * Which of the items missing from every batch were deleted. To an account that can no longer see
   * the project all would look deleted, and the query of the project then fails.
   */
  private static Set<Long> confirmed(List<Long> missing, AzureRest rest) {
    if (missing.isEmpty()) {
      return Set.of();
    }
    var gone = new HashSet<>(missing);
    switch (rest.query(Wiql.byId(missing, ID_ONLY))) {
      case Found.All<Long> visible -> gone.removeAll(Set.copyOf(visible.items()));
      case Found.TooMuch<Long> tooMuch ->
          throw new SourceFailure(
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next check");
    }
    return gone;
  }

  private List<AzureItem> items(List<Long> ids, AzureRest rest) {
    try {
      return rest.items(ids, fields).stream().map(AzureItem::of).toList();
    } catch (AzureRest.NoSuchField e) {
      fields = fields.stream().filter(field -> !field.equals(e.field())).toList();
      return items(ids, rest);
    }
  }

  /** The requests of one poll. */
  private final class Poll implements AzureListing.Requests<Long> {
    private final AzureRest rest;
    private final RequestPauses pace;

    Poll(AzureRest rest, RequestPauses pace) {
      this.rest = rest;
      this.pace = pace;
    }

    AzureRest rest() {
      return rest;
    }

    @Override
    public List<AzureItem> items(List<Long> ids) {
      return AzureDevOpsSource.this.items(ids, rest);
    }

    @Override
    public boolean mustPause() {
      return pace.tooLong();
    }

    @Override
    public Duration pause() {
      return pace.longest();
    }
  }
}
