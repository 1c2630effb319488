package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.text.OneLine;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.Comments.Comment;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.text.CleanText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one comment with the newest analysis on each item.
 *
 * @param plain whether answers are shown as they are, and never as their Markdown
 */
record CommentDelivery(Comments comments, boolean plain) implements Delivery {
  /** Most characters of an answer that are written back, because a tracker is not an archive. */
  static final int MAX_ANSWER = 12_000;

  @Override
  public String deliver(ItemKey item, Analysis analysis, RequestPermission permission) {
    Map<Comment, Marker> ours = ours(item, permission);
    Marker wanted = Marker.of(item, analysis);
    if (ours.values().stream().anyMatch(there -> there.covers(wanted))) {
      return SKIPPED;
    }
    Comment newest = ours.keySet().stream().reduce((_, later) -> later).orElse(null);
    try {
      return write(item, newest, body(item, analysis, plain), permission);
    } catch (SourceFailure e) {
      if (e.failure().category() != Category.NOT_FOUND) {
        throw e;
      }
      // A place that has another name now says so itself.
      comments.check(permission);
      // The item was read a moment ago: a tracker answers so to what this credential may not write.
      throw new SourceFailure(
          new TrackerFailure(Category.AUTH, e.failure().reason(), e.failure().retryAfter()), e);
    }
  }

  /**
   * The comments that are ours, oldest first. Every user who may comment can write our mark; where
   * the tracker names our account, only comments of that account count. It is asked only if a
   * comment has the mark.
   */
  private Map<Comment, Marker> ours(ItemKey item, RequestPermission permission) {
    var marked = new LinkedHashMap<Comment, Marker>();
    for (Comment comment : comments.written(item.id(), permission)) {
      Marker.in(comment.text())
          .filter(marker -> marker.item().equals(item))
          .ifPresent(marker -> marked.put(comment, marker));
    }
    if (!marked.isEmpty()) {
      comments
          .us(permission)
          .ifPresent(us -> marked.keySet().removeIf(comment -> !comment.author().equals(us)));
    }
    return marked;
  }

  /** Edits our comment; adds one if there is none, or if it was deleted or may not be edited. */
  private String write(
      ItemKey item, @Nullable Comment there, CommentBody body, RequestPermission permission) {
    if (there != null) {
      try {
        comments.edit(item.id(), there.id(), body, permission);
        return "edited";
      } catch (SourceFailure e) {
        Category category = e.failure().category();
        if (category != Category.NOT_FOUND && category != Category.AUTH) {
          throw e;
        }
      }
    }
    comments.add(item.id(), body, permission);
    return "added";
  }

  /** A place that no longer exists is an error of the configuration: every item waits. */
  @Override
  public Blame blame(TrackerFailure failure, RequestPermission permission) {
    if (failure.category() == Category.RATE_LIMITED) {
      return Blame.PLACE;
    }
    try {
      comments.check(permission);
    } catch (SourceFailure e) {
      return Blame.PLACE;
    }
    return failure.category() == Category.NOT_FOUND ? Blame.GONE : Blame.ITEM;
  }

  static CommentBody body(ItemKey item, Analysis analysis, boolean plain) {
    boolean named = analysis.model() == null || analysis.model().equals(analysis.agent());
    String by = analysis.agent() + (named ? "" : ", model: " + analysis.model());
    return new CommentBody(
        CommentBody.HEADING + " Agent: " + by + ".",
        answer(analysis, plain ? "" : "`"),
        Marker.of(item, analysis).line(),
        plain);
  }

  /** The answer, and the files that it names between quotes that keep them from being markup. */
  private static String answer(Analysis analysis, String quote) {
    var answer = new StringBuilder(CleanText.plain(analysis.text()));
    if (answer.length() > MAX_ANSWER) {
      int whole = answer.length();
      int kept = OneLine.start(answer.toString(), MAX_ANSWER).length();
      answer.setLength(kept);
      answer.append("\n[cut: ").append(whole - kept).append(" characters; see flyball analysis]");
    }
    if (!analysis.files().isEmpty()) {
      answer.append("\n\nFiles:\n");
      analysis.files().stream()
          .limit(20)
          .map(Analysis.Passage::place)
          .map(place -> "\n- " + quote + place.replace('`', '\'') + quote)
          .forEach(answer::append);
    }
    return answer.toString();
  }

  /**
   * The last line of our comments, which names the analysis in the comment. People read it, and we
   * find our comment by it, so that a repeat edits or skips instead of adding.
   */
  private record Marker(ItemKey item, String revision, String session, Token token, Instant at) {
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
