package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns Markdown into HTML in which only what Markdown takes as HTML is markup. Code becomes an
 * empty element with a number, and every other special character is escaped. One pass, linear.
 */
final class MarkdownScan {
  /** Name of the element that replaces a piece of code; no input can contain it. */
  static final String CODE = "flyball-code";

  private final String text;
  private final MarkdownBlocks blocks;
  private final RawHtml html;
  private final StringBuilder markup = new StringBuilder();
  private final List<String> codes = new ArrayList<>();
  private final Map<Integer, Deque<Integer>> ticks = new HashMap<>();
  private boolean plain = true;
  private int blockEnd;

  /** Whether the line has text before the current position. */
  private boolean begun;

  MarkdownScan(String text) {
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

  /** Whether the text contains no HTML, so that it can stay as it is. */
  boolean plain() {
    return plain;
  }

  String markup() {
    return markup.toString();
  }

  List<String> codes() {
    return codes;
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
