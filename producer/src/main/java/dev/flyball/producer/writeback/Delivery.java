package dev.flyball.producer.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.producer.source.Failure;
import dev.flyball.producer.source.Leave;

/** Where analyses go. */
public interface Delivery {

  /**
   * Brings one there; a repeat changes nothing.
   *
   * @return what was done: {@code added}, {@code edited}, {@code skipped} or {@code posted}
   * @throws dev.flyball.producer.source.SourceFailure if it could not
   */
  String deliver(ItemKey item, Analysis analysis, Leave leave);

  /**
   * Whether this analysis will never get there although others would: only then may it be given up.
   *
   * @param failure of its last try
   * @param tries how often it was tried
   */
  boolean hopeless(Failure failure, int tries, Leave leave);
}
