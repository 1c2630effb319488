package dev.flyball.tracker.text;

import java.util.StringJoiner;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that grows. The white space after it is held back until words follow, so that adjacent
 * blocks make one break and empty elements leave nothing.
 */
final class Lines {
  private static final String STRIKE = "~~";

  /** The marks that a line begins with. */
  private static final Pattern MARKS =
      Pattern.compile("(?:> ?|- |#{1,6} |[0-9]{1,9}\\. |\\[[ x]] | )*+");

  private final StringBuilder text = new StringBuilder();

  /** What is held back: line breaks, then blanks. */
  private int newlines;

  private String gap = "";

  /** What was held back before the first words. */
  private int firstNewlines;

  private String firstGap = "";

  /** Lines for the content of an element, which begin where these end. */
  Lines inner() {
    var inner = new Lines();
    inner.newlines = newlines;
    inner.gap = gap;
    return inner;
  }

  /** At least this many line breaks before the next words. */
  void breakLines(int wanted) {
    newlines = Math.max(newlines, wanted);
    gap = "";
  }

  /** One line break more, up to a blank line. */
  void breakLine() {
    newlines = Math.min(2, newlines + 1);
    gap = "";
  }

  /** A space before the next words, unless they begin a line. */
  void space() {
    gap = newlines > 0 ? gap : " ";
  }

  /** Blanks before the next words, at the beginning of a line too. */
  void blanks(String blanks) {
    gap += blanks;
  }

  boolean isEmpty() {
    return text.isEmpty();
  }

  boolean atLineStart() {
    return newlines > 0;
  }

  void append(String words) {
    if (words.isEmpty()) {
      return;
    }
    if (text.isEmpty()) {
      firstNewlines = newlines;
      firstGap = gap;
    } else {
      text.repeat('\n', newlines).append(gap);
    }
    text.append(words);
    newlines = 0;
    gap = "";
  }

  /** Appends what an element shows, with marks if it shows something. */
  void append(Lines inner, UnaryOperator<String> marked) {
    if (!inner.text.isEmpty()) {
      newlines = inner.firstNewlines;
      gap = inner.firstGap;
      append(marked.apply(inner.text.toString()));
    }
    newlines = inner.newlines;
    gap = inner.gap;
  }

  /** Appends what is struck out, going on where the words before it are struck out as well. */
  void appendStruckOut(Lines inner) {
    append(
        inner,
        words -> {
          String marked = struckOut(words);
          int end = text.length() - STRIKE.length();
          boolean goesOn =
              newlines == 0
                  && end > 0
                  && text.indexOf(STRIKE, end) == end
                  && marked.startsWith(STRIKE);
          text.setLength(goesOn ? end : text.length());
          return goesOn ? marked.substring(STRIKE.length()) : marked;
        });
  }

  /** Marks each line by itself; code has no marks. */
  private static String struckOut(String words) {
    var marked = new StringJoiner("\n");
    boolean code = false;
    for (String line : words.split("\n", -1)) {
      Matcher marks = MARKS.matcher(line);
      int from = marks.lookingAt() ? marks.end() : 0;
      boolean fence = line.startsWith("```", from);
      boolean plain = code || fence || from == line.length();
      marked.add(plain ? line : line.substring(0, from) + STRIKE + line.substring(from) + STRIKE);
      code ^= fence;
    }
    return marked.toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
