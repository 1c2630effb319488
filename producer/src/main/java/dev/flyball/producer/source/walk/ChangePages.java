package dev.flyball.producer.source.walk;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Asks a tracker for pages of its list, for one poll. */
public interface ChangePages<T extends Changed> {
  /** The list's beginning, from a change on or from the first one. */
  ChangePage<T> from(@Nullable Instant since);

  /** The page after the one that was asked last, by how the tracker named it. */
  ChangePage<T> next(String name);
}
