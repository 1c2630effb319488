package dev.flyball.tracker;

import dev.flyball.contract.item.ItemKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One tracker. It is asked by one thread at a time and does not know what was published. What it
 * cannot answer is a {@link SourceFailure}. A poll is atomic: one failed page fails it. An item
 * that is absent from an answer is not visible there, which does not mean that it is closed.
 */
public interface Source {

  /**
   * Reads everything, or what changed since the cursor and somewhat before it, or the first part of
   * that ({@link PollResult#more}). The caller holds back what was published already.
   *
   * @param cursor the committed cursor, null before the first poll; a file ignores it and answers
   *     with everything it holds
   * @param permission checked before every request
   * @throws SourceFailure if the tracker cannot be read: nothing of it is used
   * @throws RequestPermission.PermissionLost if the permission to ask has ended
   */
  PollResult poll(@Nullable String cursor, RequestPermission permission);

  /**
   * Whether a poll would surely find nothing after this cursor; cheap, so that a short interval
   * costs nothing. False when in doubt.
   */
  default boolean unchangedSince(String cursor) {
    return false;
  }

  /**
   * The time from which a poll with this cursor reads changes again, by the tracker's clock; empty
   * if each poll answers with everything.
   */
  default Optional<Instant> horizon(String cursor) {
    return Optional.empty();
  }

  /**
   * Whether this cursor is in the middle of a list that was read in part, as {@link
   * PollResult#more} said when it was made: the rest is then due immediately. Sends no request.
   */
  default boolean goesOn(String cursor) {
    return false;
  }

  /**
   * The newest comments of an item by people, the newest first, at most {@link HumanComment#MOST};
   * none if the source has no comments. It costs a request for each item that may have any, so it
   * is called only for items that changed.
   *
   * @throws SourceFailure if the tracker does not answer
   * @throws RequestPermission.PermissionLost if the permission to ask has ended
   */
  default List<HumanComment> comments(RawItem item, RequestPermission permission) {
    return List.of();
  }

  /** Where analyses are written back as comments; empty if its items have none. */
  default Optional<Comments> writer() {
    return Optional.empty();
  }

  /** Most items of one call of {@link #revisit}; 0 if the source cannot check items by id. */
  default int revisitBatch() {
    return 0;
  }

  /**
   * Checks items again by their ids, whether or not the query finds them.
   *
   * @param keys of this source, at most {@link #revisitBatch}
   * @throws SourceFailure if the tracker cannot be read
   * @throws RequestPermission.PermissionLost if the permission to ask has ended
   */
  default Revisited revisit(List<ItemKey> keys, RequestPermission permission) {
    return new Revisited(List.of(), Set.of(), 0);
  }
}
