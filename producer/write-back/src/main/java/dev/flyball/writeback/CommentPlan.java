package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments.Comment;
import java.util.List;

/** What must be done so that an item has one comment, with its newest analysis. */
sealed interface CommentPlan {

  /** Its comment exists with this analysis or a later one. */
  record Skip() implements CommentPlan {}

  /** Its comment holds an earlier analysis. */
  record Edit(String comment) implements CommentPlan {}

  /** It has no comment. */
  record Add() implements CommentPlan {}

  /** Most characters of an answer that are written back, because a tracker is not an archive. */
  int MAX_ANSWER = 12_000;

  /** Whether a comment says that it is ours and of this item; any user can write that. */
  static boolean marked(Comment comment, ItemKey item) {
    return Marker.in(comment.text()).filter(found -> found.item().equals(item)).isPresent();
  }

  /** Decides by the existing comments of ours. */
  static CommentPlan of(List<Comment> existing, Marker wanted) {
    CommentPlan plan = new Add();
    for (Comment comment : existing) {
      var marker = Marker.in(comment.text()).filter(found -> found.item().equals(wanted.item()));
      if (marker.isPresent()) {
        if (marker.get().covers(wanted)) {
          return new Skip();
        }
        plan = new Edit(comment.id());
      }
    }
    return plan;
  }

  /** The comment that holds an analysis. */
  static CommentBody body(ItemKey item, Analysis analysis) {
    String by = analysis.model() == null ? analysis.agent() : analysis.model();
    return new CommentBody(
        CommentBody.HEADING + " Agent: " + analysis.agent() + ", model: " + by + ".",
        answer(analysis),
        Marker.of(item, analysis).line());
  }

  private static String answer(Analysis analysis) {
    var answer = new StringBuilder(analysis.text().strip());
    if (answer.length() > MAX_ANSWER) {
      int cut = answer.length() - MAX_ANSWER;
      answer.setLength(MAX_ANSWER);
      answer.append("\n[cut: ").append(cut).append(" characters; see flyball analysis]");
    }
    if (!analysis.files().isEmpty()) {
      answer.append("\n\nFiles:");
      analysis.files().stream()
          .limit(20)
          .map(file -> "\n" + file.path() + ":" + file.fromLine() + "-" + file.toLine())
          .forEach(answer::append);
    }
    return answer.toString();
  }
}
