package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.TrackerLimits;
import java.time.InstantSource;

/** Where analyses are delivered. */
interface Delivery {

  /** The outcome of a delivery that had nothing to write. */
  String SKIPPED = "skipped";

  /** What a failed delivery says about later ones. */
  enum Blame {
    /** The place accepts nothing now: all of its analyses wait. */
    PLACE,
    /** This item may be to blame: others are delivered, and it is tried a few times more. */
    ITEM,
    /** The item no longer exists in a place that answers: it is given up now. */
    GONE
  }

  /**
   * Where a source's analyses are delivered; sends no request yet.
   *
   * @param limits of requests to trackers, those of the polls
   * @throws IllegalArgumentException if the source is configured without write-back, or with
   *     comments although its items have none
   */
  static Delivery open(SourceConfig config, InstantSource clock, TrackerLimits limits) {
    return switch (config.rules().writeBack()) {
      case WriteBack.Off _ -> throw new IllegalArgumentException(config.key() + " wants none");
      case WriteBack.Webhook webhook -> new WebhookDelivery(webhook, clock);
      case WriteBack.Comment comment ->
          config
              .open(clock, limits)
              .writer()
              .map(it -> new CommentDelivery(it, comment.plain()))
              .orElseThrow(() ->
                  new IllegalArgumentException(
                      config.key()
                          + ": write-back: comment is not possible for a file; use write-back:"
                          + " webhook"));
    };
  }

  /**
   * Delivers one analysis; a repeat changes nothing.
   *
   * @return what was done: {@code added}, {@code edited}, {@code posted} or {@link #SKIPPED}
   * @throws dev.flyball.tracker.SourceFailure if it could not be delivered
   */
  String deliver(ItemKey item, Analysis analysis, RequestPermission permission);

  /** Finds out what a failure says about later deliveries; may ask the place. */
  Blame blame(TrackerFailure failure, RequestPermission permission);
}
