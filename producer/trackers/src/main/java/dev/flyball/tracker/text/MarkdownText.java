package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Markdown as it is written, without what its reader would not see: comments and HTML. Code stays
 * verbatim, with its tags. Never throws, and takes time linear in its input, whatever the input.
 *
 * <p>One pass turns it into HTML in which only what Markdown takes as HTML is markup: code becomes
 * an empty element with a number, and every other special character is escaped.
 */
public final class MarkdownText {
  /** Name of the element that replaces a piece of code; no input can contain it. */
  static final String CODE = "flyball-code";

  private final String text;
  private final MarkdownBlocks blocks;
  private final RawHtml html;
  private final StringBuilder markup = new StringBuilder();
  private final List<String> codes = new ArrayList<>();
  private final Map<Integer, Deque<Integer>> ticks = new HashMap<>();

  /** Whether the text contains no HTML, so that it can stay as it is. */
  private boolean plain = true;

  private int blockEnd;

  /** Whether the line has text before the current position. */
  private boolean begun;

  /**
   * Cleans a field that is Markdown.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    var scan = new MarkdownText(field);
    return Tidy.lines(
        scan.plain
            ? field
            : HtmlRenderer.text(
                scan.markup.toString(), TextWriter.Spacing.WRITTEN, scan.codes, field));
  }

  private MarkdownText(String text) {
    this.text = text;
    this.blocks = new MarkdownBlocks(text);
    this.html = new RawHtml(text);
    int at = 0;
    while (at < text.length()) {
      int line = at == 0 || text.charAt(at - 1) == '\n' ? line(at) : at;
      if (line > at) {
        at = line;
      } else {
        if (at >= blockEnd) {
          block(at);
        }
        char c = text.charAt(at);
        at = inline(at);
        begun |= !Character.isWhitespace(c);
      }
    }
  }

  /**
   * Handles a block that takes whole lines from the beginning of one: returns the index after it,
   * or the same index if there is none.
   */
  private int line(int at) {
    begun = false;
    MarkdownBlocks.Line line = blocks.line(at);
    switch (line.kind()) {
      case BLANK -> markup.append(text, at, line.end());
      case CODE -> code(at, line.end());
      case INVISIBLE -> plain = false;
      case TEXT -> {}
    }
    return line.end();
  }

  /** Records where the runs of backticks of the block at this position are. */
  private void block(int at) {
    blockEnd = blocks.end(at);
    ticks.clear();
    int from = at;
    while (from < blockEnd) {
      int run = run(from, '`');
      if (run > 0) {
        ticks.computeIfAbsent(run, length -> new ArrayDeque<>()).add(from);
      }
      from += Math.max(run, 1);
    }
  }

  private int inline(int at) {
    return switch (text.charAt(at)) {
      case '\\' -> escaped(at);
      case '`' -> tick(at);
      case '<' -> tag(at);
      case '&' -> entity(at);
      default -> {
        markup.append(text.charAt(at));
        yield at + 1;
      }
    };
  }

  private int escaped(int at) {
    markup.append('\\');
    boolean sign = at + 1 < text.length() && "<&`\\".indexOf(text.charAt(at + 1)) >= 0;
    return sign ? literal(at + 1) : at + 1;
  }

  private int tick(int at) {
    int run = run(at, '`');
    Deque<Integer> same = ticks.getOrDefault(run, new ArrayDeque<>());
    while (!same.isEmpty() && same.peek() <= at) {
      same.poll();
    }
    if (same.isEmpty()) {
      markup.append(text, at, at + run);
      return at + run;
    }
    return code(at, same.peek() + run);
  }

  private int tag(int at) {
    RawHtml.Piece piece = html.at(at, begun, blockEnd);
    switch (piece.kind()) {
      case NONE -> literal(at);
      case LEFT_OUT -> plain = false;
      case TAG -> {
        plain = false;
        markup.append(text, at, piece.end());
      }
    }
    return piece.end();
  }

  private int entity(int at) {
    if (!HtmlSigns.entityAt(text, at)) {
      return literal(at);
    }
    plain = false;
    markup.append('&');
    return at + 1;
  }

  private int literal(int at) {
    switch (text.charAt(at)) {
      case '<' -> markup.append("&lt;");
      case '&' -> markup.append("&amp;");
      default -> markup.append(text.charAt(at));
    }
    return at + 1;
  }

  private int code(int from, int to) {
    markup.append('<').append(CODE).append(" n=").append(codes.size());
    markup.append("></").append(CODE).append('>');
    codes.add(text.substring(from, to));
    return to;
  }

  private int run(int at, char c) {
    int end = at;
    while (end < text.length() && text.charAt(end) == c) {
      end++;
    }
    return end - at;
  }
}
