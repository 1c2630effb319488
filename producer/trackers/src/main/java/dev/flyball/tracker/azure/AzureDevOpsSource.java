package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.Leave;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.azure.wiql.Bisection;
import dev.flyball.tracker.azure.wiql.ChangedWindow;
import dev.flyball.tracker.azure.wiql.ChangedWindow.Precision;
import dev.flyball.tracker.azure.wiql.Found;
import dev.flyball.tracker.azure.wiql.Wiql;
import dev.flyball.tracker.azure.wiql.WiqlCursor;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Azure DevOps by REST. A query finds ids by when they changed, in as many windows as needed; their
 * fields are read in batches. Items in the overlap are read again; the caller holds back what was
 * published.
 */
public final class AzureDevOpsSource implements Source {
  /** Most items of one poll; all are held until the last is read. */
  private static final int MOST_ITEMS = 200_000;

  private static final String ADVICE = "narrow sources[].query";
  private static final List<String> ID_ONLY = List.of(AzureItem.ID);

  private final SourceConfig.AzureDevOps config;
  private final InstantSource clock;
  private final Pace.Sleeper sleeper;
  private final AzurePlace place;
  private final TrackerHttp http;
  private final WiqlCursor unread;

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
    this(config, clock, Thread::sleep);
  }

  /** With another way to wait. */
  AzureDevOpsSource(SourceConfig.AzureDevOps config, InstantSource clock, Pace.Sleeper sleeper) {
    this.config = config;
    this.clock = clock;
    this.sleeper = sleeper;
    this.place = AzurePlace.of(config.url());
    this.http = new TrackerHttp(place.organisation(), this::login, clock);
    this.unread = WiqlCursor.none(config.url().toString(), config.query());
  }

  private Map<String, String> login() {
    return Tokens.read(config.token()).map(AzureLogin::header).orElse(Map.of());
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    int before = http.requests();
    try {
      var pace = new Pace(sleeper, config.key());
      WiqlCursor soFar = unread.orAsIn(cursor);
      var poll = new Poll(rest(pace, leave), soFar);
      Found.All<Long> ids = poll.ids(new ConfiguredQuery(config.key(), config.query()));
      AzureItems items = poll.items(ids.items().stream().distinct().toList());
      return items.read(
          soFar.after(items.newest(), ids.asOf()).toString(),
          http.requests() - before,
          pace.longest());
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
  }

  private AzureRest rest(Pace pace, Leave leave) {
    return new AzureRest(http, place, config.key(), pace, leave);
  }

  @Override
  public Optional<Instant> horizon(String cursor) {
    return unread.orAsIn(cursor).readsFrom();
  }

  @Override
  public int revisitBatch() {
    return AzureRest.BATCH;
  }

  @Override
  public Revisited revisit(List<ItemKey> keys, Leave leave) {
    int before = http.requests();
    try {
      var asked = new AskedFor(keys);
      var items = new AzureItems(config.tenant(), config.name());
      AzureRest rest = rest(new Pace(sleeper, config.key()), leave);
      if (!asked.ids().isEmpty()) {
        items.add(fieldsOf(asked.ids(), rest), this::page);
      }
      Set<Long> gone = confirmed(asked.missing(items), rest);
      return asked.seen(items, gone, http.requests() - before);
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
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next look");
    }
    return gone;
  }

  private List<JsonNode> fieldsOf(List<Long> ids, AzureRest rest) {
    try {
      return rest.items(ids, fields);
    } catch (AzureRest.NoSuchField e) {
      fields = fields.stream().filter(field -> !field.equals(e.field())).toList();
      return fieldsOf(ids, rest);
    }
  }

  private String page(JsonNode item) {
    return place.page(AzureItem.id(item));
  }

  /** The requests of one poll. */
  private final class Poll {
    private final AzureRest rest;
    private final WiqlCursor soFar;

    Poll(AzureRest rest, WiqlCursor soFar) {
      this.rest = rest;
      this.soFar = soFar;
    }

    /** The ids of what changed; some may occur twice. */
    Found.All<Long> ids(ConfiguredQuery query) {
      try {
        return idsBy(query);
      } catch (AzureRest.OnlyDays e) {
        if (precision == Precision.DAY) {
          throw new SourceFailure(
              Category.NOT_FOUND,
              config.key() + ": the query compares a date with a time; write days in it");
        }
        precision = Precision.DAY;
        return ids(query);
      }
    }

    private Found.All<Long> idsBy(ConfiguredQuery query) {
      ChangedWindow whole = ChangedWindow.since(soFar.readsFrom().orElse(null), precision);
      Found.All<Long> ids =
          Bisection.read(
              whole,
              clock.instant(),
              ADVICE,
              window -> rest.query(query.changedIn(window, ID_ONLY)));
      if (ids.items().size() > MOST_ITEMS) {
        throw new SourceFailure(
            Category.NOT_FOUND,
            config.key()
                + ": "
                + ids.items().size()
                + " items changed, more than "
                + MOST_ITEMS
                + " of one poll; "
                + ADVICE);
      }
      return ids;
    }

    AzureItems items(List<Long> ids) {
      var items = new AzureItems(config.tenant(), config.name());
      for (int first = 0; first < ids.size(); first += AzureRest.BATCH) {
        List<Long> batch = ids.subList(first, Math.min(first + AzureRest.BATCH, ids.size()));
        items.add(fieldsOf(batch, rest), AzureDevOpsSource.this::page);
      }
      return items;
    }
  }
}
