package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.azure.wiql.Bisection;
import dev.flyball.tracker.azure.wiql.ChangedWindow;
import dev.flyball.tracker.azure.wiql.ChangedWindow.Precision;
import dev.flyball.tracker.azure.wiql.Wiql;
import dev.flyball.tracker.paging.ChangedEntry;
import dev.flyball.tracker.paging.ListResult;
import dev.flyball.tracker.paging.ListedSource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Azure DevOps by its command line, whose queries compare days only and return at most a thousand
 * items. Windows are split by days; a day with more items cannot be read this way.
 */
public final class AzureDevOpsCliSource implements ListedSource {
  private static final String ADVICE = "narrow sources[].query or use the type azure-devops";

  private final Place place;
  private final SourceConfig.AzureDevOpsCli config;
  private final InstantSource clock;
  private final AzCommand az;
  private final Wiql query;

  /**
   * Starts no program yet.
   *
   * @throws IllegalArgumentException if the query cannot be used
   */
  public AzureDevOpsCliSource(SourceConfig.AzureDevOpsCli config, InstantSource clock) {
    az = new AzCommand(config);
    query = Wiql.parse(config.query());
    place =
        new Place(
            config.key(),
            AzureDevOpsSource.TOLERANCE,
            AzureDevOpsSource.mark(String.valueOf(config.url()), config.query()),
            az::calls);
    this.config = config;
    this.clock = clock;
  }

  @Override
  public Place place() {
    return place;
  }

  @Override
  public ListResult list(boolean fresh, @Nullable Instant since, RequestPermission permission) {
    Instant now = clock.instant();
    var windows =
        new Bisection<JsonNode>(
            ChangedWindow.since(since, Precision.DAY),
            now,
            ADVICE,
            window -> az.query(query.changedIn(window, AzureItem.FIELDS_OF_AZ), permission));
    var pace = new RequestPauses(Thread::sleep, config.key());
    return new AzureListing<>(windows, this::items, pace, now).read(since);
  }

  @Override
  public int revisitBatch() {
    return AzureRest.BATCH;
  }

  @Override
  public Existing existing(List<ItemKey> keys, RequestPermission permission) {
    List<Long> ids = ListedSource.numbers(keys);
    List<JsonNode> found =
        ids.isEmpty()
            ? List.of()
            : az.query(Wiql.byId(ids, AzureItem.FIELDS_OF_AZ), permission).byId();
    return Existing.of(keys, items(found));
  }

  /** The items of a query come with their fields. */
  private List<ChangedEntry> items(List<JsonNode> found) {
    return found.stream().map(json -> AzureItem.read(json, config, null)).toList();
  }
}
