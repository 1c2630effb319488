package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.flyball.tracker.paging.ChangeFeed;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Azure DevOps by its command line, whose queries compare days only and return at most a thousand
 * items. Windows are split by days; a day with more items cannot be read this way.
 */
public final class AzureDevOpsCliSource implements Source {
  private static final String ADVICE = "narrow sources[].query or use the type azure-devops";

  private final SourceConfig.AzureDevOpsCli config;
  private final InstantSource clock;
  private final AzCommand az;
  private final ChangeFeed<AzureItem> feed;

  /** Starts no program yet. */
  public AzureDevOpsCliSource(SourceConfig.AzureDevOpsCli config, InstantSource clock) {
    this.config = config;
    this.clock = clock;
    this.az = new AzCommand(config);
    this.feed =
        new ChangeFeed<>(
            "Azure DevOps",
            config.key(),
            AzureDevOpsSource.TOLERANCE,
            AzureDevOpsSource.mark(String.valueOf(config.url()), config.query()),
            this::item,
            az::calls);
  }

  private RawItem item(AzureItem item, long at) {
    return item.item(config.tenant(), config.name(), AzurePlace.pageOf(item.json()), at);
  }

  @Override
  public PollResult poll(@Nullable String cursor, RequestPermission permission) {
    return feed.poll(
        cursor,
        fresh -> {
          var query = new ConfiguredQuery(config.key(), config.query());
          Instant now = clock.instant();
          return new AzureListing<>(
              since ->
                  new Bisection<>(
                      ChangedWindow.since(since, Precision.DAY),
                      now,
                      ADVICE,
                      window -> az.query(query.changedIn(window, AzureItem.FIELDS), permission)),
              new Answered(),
              now);
        });
  }

  /** The items of one query, which come with their fields. */
  private static final class Answered implements AzureListing.Requests<JsonNode> {
    @Override
    public List<AzureItem> items(List<JsonNode> found) {
      return found.stream().map(AzureItem::of).toList();
    }

    @Override
    public boolean mustPause() {
      return false;
    }

    @Override
    public Duration pause() {
      return Duration.ZERO;
    }
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
    int before = az.calls();
    try {
      var asked = new RevisitedKeys(keys);
      List<AzureItem> answer =
          asked.ids().isEmpty()
              ? List.of()
              : existing(asked.ids(), permission).stream().map(AzureItem::of).toList();
      Set<Long> gone = Set.copyOf(asked.missing(answer));
      return asked.seen(answer, this::item, gone, az.calls() - before);
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  private List<JsonNode> existing(List<Long> ids, RequestPermission permission) {
    return switch (az.query(Wiql.byId(ids, AzureItem.FIELDS), permission)) {
      case Found.All<JsonNode> all -> all.items();
      case Found.TooMuch<JsonNode> tooMuch ->
          throw new SourceFailure(
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next check");
    };
  }
}
