package dev.flyball.producer;

import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.producer.publish.KnownStore.LocalCopy;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TrackerFailure;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Determines what polls would publish, without a broker and without moving a cursor. */
final class DryPoller {
  private final ProducerConfig config;
  private final InstantSource clock;
  private final BiFunction<SourceConfig, InstantSource, Source> opener;

  DryPoller(
      ProducerConfig config,
      InstantSource clock,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    this.config = config;
    this.clock = clock;
    this.opener = opener;
  }

  List<DryRun> all() {
    var runs = new ArrayList<DryRun>();
    for (SourceConfig source : config.sources()) {
      String cursor = cursor(source.key());
      runs.add(
          switch (read(source.key(), opener.apply(source, clock), cursor)) {
            case PollResult.Failed failed ->
                new DryRun.Unreadable(source.key(), failed.failure().reason());
            case PollResult.Read read -> compared(source, read, cursor);
          });
    }
    return runs;
  }

  /** Reads one part after another, to the list's end. */
  private static PollResult read(String key, Source source, @Nullable String cursor) {
    PollResult result = source.poll(cursor, RequestPermission.GRANTED);
    String from = cursor;
    while (result instanceof PollResult.Read part && part.more()) {
      if (part.leadsNowhere(from)) {
        return new PollResult.Failed(GuardedSource.nowhere(key));
      }
      if (part.retryAfter().isPositive()) {
        return new PollResult.Failed(midway(part));
      }
      from = part.cursor();
      result = part.and(source.poll(from, RequestPermission.GRANTED));
    }
    return result;
  }

  private static TrackerFailure midway(PollResult.Read part) {
    return new TrackerFailure(
        TrackerFailure.Category.RATE_LIMITED,
        "the limit ends in the middle of the list, after "
            + part.lines()
            + " entries; polls go on from there, a dry run begins again",
        part.retryAfter());
  }

  private DryRun compared(SourceConfig config, PollResult.Read read, @Nullable String cursor) {
    String source = config.key();
    // Without a cursor a poll now would be the first. What poll-state has for a later one only the
    // broker knows; an item that changed since is not from before it.
    var snapshots =
        new Snapshots(this.config.textLimit(), this.config.fingerprintFields(), config.rules())
            .since(cursor == null ? clock.instant() : null);
    ChangePlan plan = ChangePlan.of(read.items(), copy(source, read).known(), snapshots);
    Map<ItemKey, String> published = new HashMap<>();
    for (ChangePlan.Publication publication : plan.publications()) {
      Exclusion exclusion = publication.snapshot().exclusion();
      published.put(
          publication.item().key(),
          exclusion == null ? publication.reason().label() : exclusion.reason());
    }
    var items = new ArrayList<DryRun.Item>();
    for (ItemKey key : plan.known().keySet()) {
      var held = plan.own().contains(key) ? ChangePlan.Reason.OWN : ChangePlan.Reason.UNCHANGED;
      String reason = published.getOrDefault(key, held.label());
      items.add(new DryRun.Item(source, key.toString(), published.containsKey(key), reason));
    }
    return new DryRun.Read(source, items, read.requests(), read.invalid(), read.unknown());
  }

  private LocalCopy copy(String source, PollResult.Read read) {
    List<ItemKey> items = read.items().stream().map(RawItem::key).toList();
    return store(store -> Optional.of(store.copy(source, items))).orElse(LocalCopy.NOTHING);
  }

  /**
   * The cursor at which a poll would begin, as far as the local copy knows it; null means a full
   * read. A dry run does not read the whole tracker again.
   */
  private @Nullable String cursor(String source) {
    return store(store -> store.cursor(source))
        .flatMap(PollCursor::parse)
        .map(PollCursor::at)
        .orElse(null);
  }

  private <T> Optional<T> store(Function<KnownStore, Optional<T>> question) {
    return KnownStore.openForReading(config.data().resolve(ProducerApp.STORE))
        .flatMap(store -> {
          try (store) {
            return question.apply(store);
          }
        });
  }
}
