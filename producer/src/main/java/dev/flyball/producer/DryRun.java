package dev.flyball.producer;

import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.publish.KnownStore;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@code producer --once --dry-run}: what a poll would publish. A dry run needs no
 * broker and moves no cursor.
 */
public sealed interface DryRun {

  /**
   * The source was read.
   *
   * @param items one for each distinct key, in the source's order
   * @param requests calls made to the tracker; 0 for a file
   * @param invalid lines that could not be read
   * @param unknown how many items have a field that is not read, by its name
   */
  record Read(
      String source,
      List<Item> items,
      int requests,
      List<PollResult.Unread> invalid,
      Map<String, Integer> unknown)
      implements DryRun {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
      unknown = Map.copyOf(unknown);
    }

    /** How many items a poll would publish. */
    public long changed() {
      return items.stream().filter(Item::publish).count();
    }

    /** How many of them its source takes, so that triage would judge them. */
    public long taken() {
      return items.stream().filter(Item::taken).count();
    }
  }

  record Unreadable(String source, String reason) implements DryRun {}

  /**
   * One item.
   *
   * @param reason {@code new}, {@code changed}, {@code unchanged} or {@code fingerprint version};
   *     of one that is published only to be known and skipped, why it is, for example {@code before
   *     start}
   * @param snapshot what a poll would publish; null if nothing
   */
  record Item(String key, String reason, @Nullable Snapshot snapshot) {

    /** Whether a poll would publish it. */
    public boolean publish() {
      return snapshot != null;
    }

    /** Whether it is published for more than to be known, so that triage would judge it. */
    public boolean taken() {
      return snapshot != null && snapshot.exclusion() == null;
    }
  }

  /** Most requests of one check of a tracker: a login's check, a list, its next page. */
  int MOST_REQUESTS = 3;

  static List<DryRun> of(
      ProducerConfig config,
      InstantSource clock,
      BiFunction<SourceConfig, InstantSource, Source> opener) {
    var runs = new ArrayList<DryRun>();
    for (SourceConfig source : config.sources()) {
      String cursor = cursor(config, source.key());
      try {
        PollResult read = read(source.key(), opener.apply(source, clock), cursor);
        runs.add(compared(config, source, read, cursor, clock.instant()));
      } catch (SourceFailure e) {
        runs.add(new Unreadable(source.key(), e.failure().reason()));
      }
    }
    return runs;
  }

  /**
   * Asks a source what changed, with a few requests; one that answers them passes.
   *
   * @return why it does not answer; empty if it does
   */
  static Optional<TrackerFailure> ask(String key, Source source, @Nullable String at) {
    var left = new AtomicInteger(MOST_REQUESTS);
    RequestPermission few =
        () -> {
          if (left.getAndDecrement() == 0) {
            throw new RequestPermission.PermissionLost("enough is known");
          }
        };
    try {
      var _ = GuardedSource.guarded(key, () -> source.poll(at, few));
      return Optional.empty();
    } catch (SourceFailure e) {
      return Optional.of(e.failure());
    } catch (RequestPermission.PermissionLost e) {
      return Optional.empty();
    }
  }

  /** Reads one part after another, to the list's end. */
  private static PollResult read(String key, Source source, @Nullable String cursor) {
    PollResult read = source.poll(cursor, RequestPermission.GRANTED);
    String from = cursor;
    while (read.more()) {
      if (read.leadsNowhere(from)) {
        throw GuardedSource.nowhere(key);
      }
      if (read.retryAfter().isPositive()) {
        throw new SourceFailure(
            TrackerFailure.Category.RATE_LIMITED,
            "the limit ends in the middle of the list, after "
                + read.lines()
                + " entries; polls go on from there, a dry run begins again");
      }
      from = read.cursor();
      read = read.and(source.poll(from, RequestPermission.GRANTED));
    }
    return read;
  }

  private static DryRun compared(
      ProducerConfig config,
      SourceConfig source,
      PollResult read,
      @Nullable String cursor,
      Instant now) {
    String key = source.key();
    // Without a cursor a poll now would be the first. What poll-state has for a later one only the
    // broker knows; an item that changed since is not from before it.
    var snapshots =
        new Snapshots(config.textLimit(), config.fingerprintFields(), source.rules())
            .since(cursor == null ? now : null);
    ChangePlan plan = ChangePlan.of(read.items(), known(config, key, read), snapshots);
    var published = new HashMap<ItemKey, DryRun.Item>();
    for (ChangePlan.Publication publication : plan.publications()) {
      Exclusion exclusion = publication.snapshot().exclusion();
      ItemKey item = publication.item().key();
      String reason = exclusion == null ? publication.reason().label() : exclusion.reason();
      published.put(item, new Item(item.toString(), reason, publication.snapshot()));
    }
    var items = new ArrayList<DryRun.Item>();
    String unchanged = ChangePlan.Reason.UNCHANGED.label();
    for (ItemKey item : plan.known().keySet()) {
      items.add(published.getOrDefault(item, new Item(item.toString(), unchanged, null)));
    }
    return new Read(key, items, read.requests(), read.invalid(), read.unknown());
  }

  private static Map<ItemKey, Known> known(ProducerConfig config, String source, PollResult read) {
    List<ItemKey> items = read.items().stream().map(RawItem::key).toList();
    return store(config, store -> Optional.of(store.copy(source, items).known())).orElse(Map.of());
  }

  /**
   * The cursor at which a poll would begin, as far as the local copy knows it; null means a full
   * read. A dry run does not read the whole tracker again.
   */
  private static @Nullable String cursor(ProducerConfig config, String source) {
    return store(config, store -> store.cursor(source))
        .flatMap(PollCursor::parse)
        .map(PollCursor::at)
        .orElse(null);
  }

  private static <T> Optional<T> store(
      ProducerConfig config, Function<KnownStore, Optional<T>> question) {
    return KnownStore.openForReading(config.data().resolve(ProducerApp.STORE))
        .flatMap(store -> {
          try (store) {
            return question.apply(store);
          }
        });
  }
}
