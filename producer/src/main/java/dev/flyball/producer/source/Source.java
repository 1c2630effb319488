package dev.flyball.producer.source;

import org.jspecify.annotations.Nullable;

/**
 * One tracker. Asked by one thread at a time; knows nothing of what was published. Operating errors
 * are answers, not exceptions.
 */
public interface Source {

  /**
   * Reads what there is.
   *
   * @param cursor the committed cursor, null before the first poll; a file ignores it and answers
   *     with all it holds
   */
  PollResult poll(@Nullable String cursor);

  /**
   * Whether a poll would surely find nothing beyond this cursor; cheap, so that a short interval
   * costs nothing. False when in doubt.
   */
  boolean unchangedSince(String cursor);
}
