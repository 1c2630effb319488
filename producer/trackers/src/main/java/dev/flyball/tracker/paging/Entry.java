package dev.flyball.tracker.paging;

import com.fasterxml.jackson.databind.JsonNode;

/** An entry of a tracker's list. */
public interface Entry extends Changed {
  /** The entry as the tracker wrote it, without what is not read. */
  JsonNode json();

  /** Whether it is an entry that the poll reads; a list may hold others between them. */
  default boolean wanted() {
    return true;
  }
}
