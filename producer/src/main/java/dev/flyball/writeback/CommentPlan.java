package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.text.OneLine;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments.Comment;
import dev.flyball.tracker.text.CleanText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    var answer = new StringBuilder(CleanText.plain(analysis.text()));
    if (answer.length() > MAX_ANSWER) {
      int whole = answer.length();
      int kept = OneLine.start(answer.toString(), MAX_ANSWER).length();
      answer.setLength(kept);
      answer.append("\n[cut: ").append(whole - kept).append(" characters; see flyball analysis]");
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

  /**
   * The last line of our comments, which names the analysis in the comment. People read it, and we
   * find our comment by it, so that a repeat edits or skips instead of adding.
   */
  record Marker(ItemKey item, String revision, String session, Token token, Instant at) {
    private static final Pattern LINE =
        Pattern.compile(
            CommentBody.MARKER + "(.+) revision=(\\S+) session=(\\S+) token=(\\S+) at=(\\S+)");

    static Marker of(ItemKey item, Analysis analysis) {
      return new Marker(
          item,
          analysis.revision().replaceAll("\\s", "_"),
          analysis.session(),
          Token.parse(analysis.token()),
          analysis.at());
    }

    /**
     * Finds the marker in a comment of ours; empty for any other comment, even one that quotes
     * ours: ours begins with our heading and ends with the marker.
     */
    static Optional<Marker> in(String comment) {
      String text = comment.strip();
      Matcher line = LINE.matcher(text.substring(text.lastIndexOf('\n') + 1).strip());
      if (!text.startsWith(CommentBody.HEADING) || !line.matches()) {
        return Optional.empty();
      }
      try {
        return Optional.of(
            new Marker(
                ItemKey.parse(line.group(1)),
                line.group(2),
                line.group(3),
                Token.parse(line.group(4)),
                Instant.parse(line.group(5))));
      } catch (IllegalArgumentException | DateTimeException e) {
        return Optional.empty();
      }
    }

    /**
     * Whether this marker's analysis is the other's or a later one. Offsets order the sessions of
     * one ledger only; those of two ledgers are ordered by the time of their end.
     */
    boolean covers(Marker other) {
      boolean later =
          token.topicId().equals(other.token().topicId())
              ? token.offset() >= other.token().offset()
              : at.isAfter(other.at());
      return session.equals(other.session()) || later;
    }

    String line() {
      return CommentBody.MARKER
          + item
          + " revision="
          + revision
          + " session="
          + session
          + " token="
          + token
          + " at="
          + at;
    }
  }
}
