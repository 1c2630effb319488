package dev.flyball.tracker.paging;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Requests pages of a tracker's list, for one poll. */
public interface ChangePages {
  /** The first page, from this change on; null for the beginning of the list. */
  ChangePage from(@Nullable Instant since);

  /** The page after the one requested last, by the tracker's name for it. */
  ChangePage next(String name);
}
