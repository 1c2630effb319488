package dev.flyball.producer.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.producer.source.Leave;

/** Where analyses go. */
public interface Delivery {

  /**
   * Brings one there; a repeat changes nothing.
   *
   * @return what was done: {@code added}, {@code edited}, {@code skipped} or {@code posted}
   * @throws dev.flyball.producer.source.SourceFailure if it could not; {@code NOT_FOUND} means that
   *     trying again is no use
   */
  String deliver(ItemKey item, Analysis analysis, Leave leave);
}
