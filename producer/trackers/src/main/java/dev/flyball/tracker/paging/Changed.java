package dev.flyball.tracker.paging;

import java.time.Instant;

/** An item of a list that is sorted by when it was changed. */
public interface Changed {
  /** Identifies one change of one item among all changes. */
  String change();

  /** When it was changed, by the tracker's clock; the epoch where the tracker does not say. */
  Instant changedAt();
}
