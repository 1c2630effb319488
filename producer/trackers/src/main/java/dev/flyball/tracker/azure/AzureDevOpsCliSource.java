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
  private final WiqlCursor unread;

  /** Sends no request yet. */
  public AzureDevOpsCliSource(SourceConfig.AzureDevOpsCli config, InstantSource clock) {
    this.config = config;
    this.clock = clock;
    this.unread = WiqlCursor.none(String.valueOf(config.url()), config.query());
  }

  @Override
  public PollResult poll(@Nullable String cursor, Leave leave) {
    var az = new AzCommand(config);
    try {
      var query = new ConfiguredQuery(config.key(), config.query());
      WiqlCursor soFar = unread.orAsIn(cursor);
      Found.All<JsonNode> found =
          Bisection.read(
              ChangedWindow.since(soFar.readsFrom().orElse(null), Precision.DAY),
              clock.instant(),
              ADVICE,
              window -> az.query(query.changedIn(window, AzureItem.FIELDS), leave));
      var items = new AzureItems(config.tenant(), config.name());
      items.add(found.items(), AzurePlace::pageOf);
      return items.read(
          soFar.after(items.newest(), found.asOf()).toString(), az.calls(), Duration.ZERO);
    } catch (SourceFailure e) {
      return new PollResult.Failed(e.failure());
    }
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
    var az = new AzCommand(config);
    try {
      var asked = new AskedFor(keys);
      var items = new AzureItems(config.tenant(), config.name());
      if (!asked.ids().isEmpty()) {
        items.add(existing(az, asked.ids(), leave), AzurePlace::pageOf);
      }
      return asked.seen(items, Set.copyOf(asked.missing(items)), az.calls());
    } catch (SourceFailure e) {
      return new Revisited.Failed(e.failure());
    }
  }

  private static List<JsonNode> existing(AzCommand az, List<Long> ids, Leave leave) {
    return switch (az.query(Wiql.byId(ids, AzureItem.FIELDS), leave)) {
      case Found.All<JsonNode> all -> all.items();
      case Found.TooMuch<JsonNode> tooMuch ->
          throw new SourceFailure(
              Category.UNREACHABLE, tooMuch.why() + "; it is asked again at the next look");
    };
  }
}
