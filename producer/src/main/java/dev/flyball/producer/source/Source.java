package dev.flyball.producer.source;

import dev.flyball.contract.item.ItemKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One tracker. Asked by one thread at a time; knows nothing of what was published. Operating errors
 * are answers, not exceptions. A poll is atomic: one failed page fails it. An item that is absent
 * from an answer is not visible there, which does not mean that it is closed.
 */
public interface Source {

  /**
   * Reads what there is, or what changed since the cursor and somewhat before it, or the beginning
   * of that ({@link PollResult.Read#more}): what was published already is held back by who asks.
   *
   * @param cursor the committed cursor, null before the first poll; a file ignores it and answers
   *     with all it holds
   * @param leave checked before every request
   * @throws Leave.LeaveLost if it may not ask any more
   */
  PollResult poll(@Nullable String cursor, Leave leave);

  /**
   * Whether a poll would surely find nothing beyond this cursor; cheap, so that a short interval
   * costs nothing. False when in doubt.
   */
  default boolean unchangedSince(String cursor) {
    return false;
  }

  /**
   * From when on a poll with this cursor reads changes again, by the tracker's clock; empty if it
   * answers with everything each time, whenever it changed.
   */
  default Optional<Instant> horizon(String cursor) {
    return Optional.empty();
  }

  /**
   * Whether this cursor stands in the middle of a list that was read in part, as {@link
   * PollResult.Read#more} said when it was made: the rest is then due at once. Asks nothing.
   */
  default boolean goesOn(String cursor) {
    return false;
  }

  /** Most items that one call of {@link #revisit} looks at; 0 where it looks at none. */
  default int revisitBatch() {
    return 0;
  }

  /**
   * Looks again at items by their ids, whatever the query says of them.
   *
   * @param keys of this source, at most {@link #revisitBatch}
   * @throws Leave.LeaveLost if it may not ask any more
   */
  default Revisited revisit(List<ItemKey> keys, Leave leave) {
    return new Revisited.Seen(List.of(), Set.of(), 0);
  }
}
