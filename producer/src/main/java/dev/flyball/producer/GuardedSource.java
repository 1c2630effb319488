package dev.flyball.producer;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One configuration of a source: what reads it and by which rules, together with its circuit
 * breaker, which learns from every answer. An exception of the source counts as its failure too;
 * otherwise a broken reader would make the loop ask the tracker again in every turn.
 *
 * @param breaker outlives the configuration
 */
record GuardedSource(
    SourceConfig config,
    Source source,
    Snapshots snapshots,
    Breaker breaker,
    PollReporter reporter) {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedSource.class);

  /** {@code tenant/source}. */
  String key() {
    return config.key();
  }

  /** Why the tracker may not be asked now, one line; empty if it may be asked. */
  Optional<String> whyNot() {
    Breaker.State before = breaker.state();
    Optional<String> whyNot = breaker.whyNot();
    tell(before);
    return whyNot;
  }

  PollResult poll(@Nullable String cursor, RequestPermission permission) {
    PollResult read =
        answered(() -> {
          PollResult answer = source.poll(cursor, permission);
          if (answer.leadsNowhere(cursor)) {
            // Otherwise the loop would ask for the same part of the list in every turn.
            throw nowhere(key());
          }
          return answer;
        });
    Breaker.State before = breaker.state();
    breaker.read(read.retryAfter(), reporter.now());
    tell(before);
    return read;
  }

  /**
   * Asks the tracker for items by their ids. Only failures count for the breaker: a success here
   * does not mean that a poll's own requests succeed.
   */
  Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    return answered(() -> source.revisit(keys, permission));
  }

  private <T> T answered(Supplier<T> request) {
    try {
      return guarded(key(), request);
    } catch (SourceFailure e) {
      failed(e.failure());
      throw e;
    }
  }

  /** The tracker was asked and could not be read. */
  void failed(TrackerFailure failure) {
    Breaker.State before = breaker.state();
    breaker.failed(failure, reporter.now());
    tell(before);
  }

  /** The failure of a list that says it goes on but leads back to the same place. */
  static SourceFailure nowhere(String key) {
    return new SourceFailure(
        Category.MALFORMED,
        key + ": its list goes on but leads to no other place; report it with the log");
  }

  /** Asks a source; every exception is its failure, except a lost permission. */
  static <T> T guarded(String key, Supplier<T> request) {
    try {
      return request.get();
    } catch (RequestPermission.PermissionLost | SourceFailure e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      LOG.error("source {}: its answer broke its reader", key, e);
      throw new SourceFailure(
          Category.MALFORMED,
          key + ": its answer broke its reader (" + e + "); report it with the log");
    }
  }

  private void tell(Breaker.State before) {
    Breaker.State now = breaker.state();
    if (now != before) {
      EventType type =
          switch (now) {
            case OPEN -> EventType.BREAKER_OPENED;
            case HALF_OPEN -> EventType.BREAKER_HALF_OPENED;
            case CLOSED -> EventType.BREAKER_CLOSED;
          };
      reporter.breaker(type, key(), breaker.trouble());
    }
  }
}
