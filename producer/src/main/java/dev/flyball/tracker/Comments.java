package dev.flyball.tracker;

import java.util.List;
import java.util.Optional;

/**
 * The comments of a tracker's items. The caller decides what becomes of them. A tracker that does
 * not answer is a {@link SourceFailure}; an item that no longer exists is one of category {@link
 * TrackerFailure.Category#NOT_FOUND}.
 */
public interface Comments {

  /** Every comment of an item that may be ours, oldest first; each as plain text. */
  List<Comment> written(String item, RequestPermission permission);

  /** The author id of our comments; empty where the tracker does not say. Asked once. */
  Optional<String> us(RequestPermission permission);

  /** Checks with as few requests as possible that the place of the items exists and answers us. */
  void check(RequestPermission permission);

  /** Adds a comment. */
  void add(String item, CommentBody body, RequestPermission permission);

  /** Replaces the text of a comment. */
  void edit(String item, String comment, CommentBody body, RequestPermission permission);

  /**
   * One comment.
   *
   * @param id as its tracker names it
   * @param author the id of its author's account; empty where its tracker names none
   * @param text without markup, line by line
   */
  record Comment(String id, String author, String text) {}
}
