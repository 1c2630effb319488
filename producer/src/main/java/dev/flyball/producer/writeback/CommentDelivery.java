package dev.flyball.producer.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.producer.source.Comments;
import dev.flyball.producer.source.Leave;

/** Keeps one comment with the newest analysis at each item. */
public final class CommentDelivery implements Delivery {
  private final Comments comments;

  /** Into these comments. */
  public CommentDelivery(Comments comments) {
    this.comments = comments;
  }

  @Override
  public String deliver(ItemKey item, Analysis analysis, Leave leave) {
    var plan = CommentPlan.of(comments.of(item.id(), leave), Marker.of(item, analysis));
    return switch (plan) {
      case CommentPlan.Skip() -> "skipped";
      case CommentPlan.Edit(String comment) -> {
        comments.edit(item.id(), comment, CommentPlan.body(item, analysis), leave);
        yield "edited";
      }
      case CommentPlan.Add() -> {
        comments.add(item.id(), CommentPlan.body(item, analysis), leave);
        yield "added";
      }
    };
  }
}
