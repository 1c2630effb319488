package dev.flyball.tracker;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.tracker.text.Bounded;
import dev.flyball.tracker.text.CleanText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A comment of an item that is neither a program's nor an analysis that was written back.
 *
 * @param author the name that its tracker shows; empty where it names none
 * @param at when it was written, null where its tracker does not say
 * @param text clean text, bounded; empty if the comment is ours
 */
public record HumanComment(String author, @Nullable Instant at, String text) {
  static final int MOST = 20;

  /** Most bytes of one comment, so that a pasted log does not displace the other comments. */
  private static final int MAX_TEXT = 2048;

  private static final int MAX_AUTHOR = 128;

  private static final DateTimeFormatter SHOWN =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT);

  public HumanComment {
    // Before it is cut: only the last line shows whose it is.
    text = CommentBody.isOurs(text) ? "" : Bounded.text(text, MAX_TEXT);
  }

  /** A comment as a tracker writes it; a time in no known format is left out. */
  public static HumanComment of(String author, String time, String text) {
    Instant written = RawItem.time(time);
    Instant at = written.equals(Instant.EPOCH) ? null : written;
    return new HumanComment(author, at, text);
  }

  /**
   * The comments that count, at most {@link #MOST}: those that have text and are not ours.
   *
   * @param newestFirst comments by people
   */
  public static List<HumanComment> latest(List<HumanComment> newestFirst) {
    return newestFirst.stream().filter(comment -> !comment.text().isBlank()).limit(MOST).toList();
  }

  /**
   * Comments as a part of their item's text, in the given order. Their lines are indented: no
   * comment can look like one of another author, or like the beginning of this part.
   */
  public static String section(List<HumanComment> comments) {
    var section = new StringBuilder(Snapshot.COMMENTS);
    for (HumanComment comment : comments) {
      section.append("\n\n").append(comment.heading()).append(':');
      comment.text.lines().forEach(line -> section.append(line.isEmpty() ? "\n" : "\n  " + line));
    }
    return section.toString();
  }

  private String heading() {
    String name = Bounded.line(CleanText.title(author), MAX_AUTHOR);
    String known = name.isEmpty() ? "unknown author" : name;
    return at == null ? known : known + ", " + SHOWN.format(at.atOffset(ZoneOffset.UTC));
  }
}
