package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.Comments.Comment;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.writeback.CommentPlan.Marker;
import java.util.List;
import java.util.Optional;

/** Keeps one comment with the newest analysis on each item. */
final class CommentDelivery implements Delivery {
  private final Comments comments;

  /** Writes to these comments. */
  CommentDelivery(Comments comments) {
    this.comments = comments;
  }

  @Override
  public String deliver(ItemKey item, Analysis analysis, RequestPermission permission) {
    List<Comment> there = comments.of(item.id(), permission);
    try {
      return write(item, analysis, there, permission);
    } catch (SourceFailure e) {
      if (e.failure().category() != Category.NOT_FOUND) {
        throw e;
      }
      // The item was read a moment ago: a tracker answers so to what this credential may not write.
      throw new SourceFailure(
          new TrackerFailure(Category.AUTH, e.failure().reason(), e.failure().retryAfter()), e);
    }
  }

  private String write(
      ItemKey item, Analysis analysis, List<Comment> there, RequestPermission permission) {
    var plan = CommentPlan.of(ours(there, item, permission), Marker.of(item, analysis));
    return switch (plan) {
      case CommentPlan.Skip() -> SKIPPED;
      case CommentPlan.Edit(String comment) -> {
        yield edited(item, comment, CommentPlan.body(item, analysis), permission);
      }
      case CommentPlan.Add() -> {
        comments.add(item.id(), CommentPlan.body(item, analysis), permission);
        yield "added";
      }
    };
  }

  /**
   * The comments that are ours. Every user who may comment can write our mark; where the tracker
   * names our account, only comments of that account count. It is asked only if a comment has the
   * mark.
   */
  private List<Comment> ours(List<Comment> there, ItemKey item, RequestPermission permission) {
    List<Comment> marked =
        there.stream().filter(comment -> CommentPlan.marked(comment, item)).toList();
    if (marked.isEmpty()) {
      return marked;
    }
    Optional<String> us = comments.us(permission);
    return us.isEmpty()
        ? marked
        : marked.stream().filter(comment -> comment.author().equals(us.get())).toList();
  }

  /** Edits a comment; if that no longer exists or may not be edited, adds a new one instead. */
  private String edited(
      ItemKey item, String comment, CommentBody body, RequestPermission permission) {
    try {
      comments.edit(item.id(), comment, body, permission);
      return "edited";
    } catch (SourceFailure e) {
      Category category = e.failure().category();
      if (category != Category.NOT_FOUND && category != Category.AUTH) {
        throw e;
      }
      comments.add(item.id(), body, permission);
      return "added";
    }
  }

  @Override
  public Blame blame(TrackerFailure failure, RequestPermission permission) {
    if (failure.category() == Category.RATE_LIMITED || !placeAnswers(permission)) {
      return Blame.PLACE;
    }
    return failure.category() == Category.NOT_FOUND ? Blame.GONE : Blame.ITEM;
  }

  /**
   * Whether the place of the items answers. A place that no longer exists is an error of the
   * configuration, and every item waits for it.
   */
  private boolean placeAnswers(RequestPermission permission) {
    try {
      comments.check(permission);
      return true;
    } catch (SourceFailure e) {
      return false;
    }
  }
}
