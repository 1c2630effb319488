package dev.flyball.tracker.paging;

import dev.flyball.tracker.SourceFailure;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A tracker's list of changes, opened for one poll. */
public interface Listing<T extends ChangedEntry> {
  /**
   * Reads everything from a change on, or from the first one; or the first part of that, of bounded
   * size.
   *
   * @throws SourceFailure if not even a first part can be read safely
   */
  ListResult<T> read(@Nullable Instant since);

  /**
   * Called before what was read moves the cursor.
   *
   * @throws SourceFailure if some of the list may have been hidden from us
   */
  default void cursorMoves() {}
}
