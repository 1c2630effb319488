package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;

/** Where analyses are delivered. */
public interface Delivery {

  /**
   * Delivers one analysis; a repeat changes nothing.
   *
   * @return what was done: {@code added}, {@code edited}, {@code skipped} or {@code posted}
   * @throws dev.flyball.tracker.SourceFailure if it could not be delivered
   */
  String deliver(ItemKey item, Analysis analysis, RequestPermission permission);

  /**
   * Whether this analysis can never be delivered although others can: only then may it be given up.
   *
   * @param failure of its last try
   * @param tries how often it was tried
   */
  boolean hopeless(TrackerFailure failure, int tries, RequestPermission permission);
}
