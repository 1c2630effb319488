package dev.flyball.tracker.paging;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;

/** An entry of a list that is sorted by when its items were changed. */
public interface ChangedEntry {
  /** Identifies one change of one item among all changes. */
  String change();

  /** When it was changed, by the tracker's clock; the epoch where the tracker does not say. */
  Instant changedAt();

  /** The entry as the tracker wrote it, without what is not read. */
  JsonNode json();

  /** Whether it is an entry that the poll reads; a list may hold others between them. */
  default boolean wanted() {
    return true;
  }
}
