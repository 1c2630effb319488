package dev.flyball.producer.source;

import java.util.List;
import java.util.Optional;

/**
 * The comments of a tracker's items. Whoever asks decides what becomes of them; a tracker that does
 * not answer is a {@link SourceFailure}, an item that is gone one of category {@link
 * Failure.Category#NOT_FOUND}.
 */
public interface Comments {

  /** Every comment of an item that may be one of ours, oldest first; each as plain text. */
  List<Comment> of(String item, Leave leave);

  /**
   * How the tracker names us as the author of a comment; empty where it does not tell. It is asked
   * once and not for each item.
   */
  Optional<String> us(Leave leave);

  /** Asks as little as shows that the place of the items is there and answers us. */
  void check(Leave leave);

  /** Adds one. */
  void add(String item, CommentBody body, Leave leave);

  /** Replaces the text of one. */
  void edit(String item, String comment, CommentBody body, Leave leave);

  /**
   * One comment.
   *
   * @param id as its tracker names it
   * @param author the id of its author's account; empty where its tracker names none
   * @param text without markup, line by line
   */
  record Comment(String id, String author, String text) {}
}
