package dev.flyball.tracker.text;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where Markdown's blocks begin and end, as far as code depends on it. Must be called in the order
 * of the text.
 */
final class MarkdownBlocks {
  private static final Pattern FENCE =
      Pattern.compile(
          "(?:[ \\t]|>|[-*+][ \\t]|[0-9]{1,9}[.)]["
              + " \\t]){0,64}+(`{3,}+(?=[^`\\n]*+(?:\\n|$))|~{3,}+)");

  private static final Pattern MARKER =
      Pattern.compile("[ \\t]{0,32}+(?:[-*+]|[0-9]{1,9}[.)])(?=[ \\t\\r\\n]|$)");

  private static final Pattern HEADING = Pattern.compile(" {0,3}#{1,6}(?=[ \\t\\r\\n]|$)");

  /**
   * A link's definition that cannot be followed: people write comments this way, and GitHub hides
   * them.
   */
  private static final Pattern COMMENT =
      Pattern.compile(" {0,3}\\[(?://|#|comment)\\]:", Pattern.CASE_INSENSITIVE);

  private static final int INDENTED = 4;

  enum Kind {
    TEXT,
    BLANK,
    CODE,
    INVISIBLE
  }

  /**
   * What begins with a line.
   *
   * @param end index after it, or that of the line itself if it is text
   */
  record Line(Kind kind, int end) {}

  private final String text;
  private boolean afterBlank = true;
  private boolean inList;

  MarkdownBlocks(String text) {
    this.text = text;
  }

  /** The block that takes whole lines from this line on. */
  Line line(int at) {
    int end = next(at);
    if (blank(at, end)) {
      afterBlank = true;
      return new Line(Kind.BLANK, end);
    }
    Matcher fence = matcher(FENCE, at, end);
    if (fence.lookingAt()) {
      afterBlank = true;
      return new Line(Kind.CODE, fenceEnd(fence.group(1), text.startsWith(">", at), end));
    }
    int indent = indent(at);
    if (indent >= INDENTED && afterBlank && !inList) {
      return new Line(Kind.CODE, lineEnd(end));
    }
    if (matcher(MARKER, at, end).lookingAt()) {
      inList = true;
    } else if (indent == 0 && afterBlank) {
      inList = false;
    }
    afterBlank = false;
    return matcher(COMMENT, at, end).lookingAt()
        ? new Line(Kind.INVISIBLE, end)
        : new Line(Kind.TEXT, at);
  }

  /** Where the block at this position ends; inline code ends there too. */
  int end(int from) {
    int at = next(from);
    while (at < text.length()) {
      int end = next(at);
      if (blank(at, end)
          || matcher(FENCE, at, end).lookingAt()
          || matcher(MARKER, at, end).lookingAt()
          || matcher(HEADING, at, end).lookingAt()) {
        return at;
      }
      at = end;
    }
    return at;
  }

  /**
   * Where a fence ends. A fence without an end reaches to the end of the text, in a quotation to
   * the end of the quotation.
   */
  private int fenceEnd(String opening, boolean quoted, int from) {
    Pattern closing =
        Pattern.compile(
            "[ \\t>]*+" + opening.charAt(0) + "{" + opening.length() + ",}+[ \\t\\r]*+\\n?+");
    int at = from;
    while (at < text.length()) {
      int end = next(at);
      if (quoted && !text.startsWith(">", at)) {
        return lineEnd(at);
      }
      if (matcher(closing, at, end).matches()) {
        return lineEnd(end);
      }
      at = end;
    }
    return text.length();
  }

  private Matcher matcher(Pattern pattern, int from, int to) {
    return pattern.matcher(text).region(from, to);
  }

  /** Index after the line's break. */
  private int next(int at) {
    int line = text.indexOf('\n', at);
    return line < 0 ? text.length() : line + 1;
  }

  /** Index of the line's break, for a block that does not include it. */
  private int lineEnd(int next) {
    return next > 0 && text.charAt(next - 1) == '\n' ? next - 1 : next;
  }

  private boolean blank(int from, int to) {
    return text.substring(from, to).isBlank();
  }

  private int indent(int at) {
    int indent = 0;
    for (int i = at; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\t') {
        indent += INDENTED - indent % INDENTED;
      } else if (c == ' ') {
        indent++;
      } else {
        break;
      }
    }
    return indent;
  }
}
