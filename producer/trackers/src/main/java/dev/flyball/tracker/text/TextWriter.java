package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;

/** Writes what elements mean for the lines of a text: lists, tables, code and links. */
final class TextWriter {
  private static final int MAX_INDENT = 8;

  /** Instead of a number: the items of the list have none. */
  private static final long BULLETS = -1;

  /** The meaning of white space in the text itself. */
  enum Spacing {
    /** Any run is one space: the markup gives the lines. */
    MARKUP,
    /** Line breaks are kept, because no markup gives any. */
    LINES,
    /** All of it is kept: Markdown, where lines and indentation have a meaning. */
    WRITTEN
  }

  /** An open row of a table; one with a single cell is layout and keeps its paragraphs. */
  private enum Row {
    LAYOUT,
    BEFORE_FIRST_CELL,
    IN_CELLS
  }

  private final Spacing spacing;
  private final LineWriter lines = new LineWriter();

  /** The number of the next item of each open list. */
  private final Deque<Long> lists = new ArrayDeque<>();

  private final Deque<Row> rows = new ArrayDeque<>();

  /** Where the text of each open link begins. */
  private final Deque<Integer> links = new ArrayDeque<>();

  private int pre;

  TextWriter(Spacing spacing) {
    this.spacing = spacing;
  }

  String text() {
    return lines.text();
  }

  /**
   * Writes running text. Its white space is handled as {@link Spacing} says; in code all of it is
   * kept.
   */
  void write(String text) {
    if (pre > 0) {
      raw(lines.atLineStart() && text.startsWith("\n") ? text.substring(1) : text);
    } else if (written()) {
      asWritten(text);
    } else {
      words(text);
    }
  }

  /** Writes text without any change. */
  void raw(String text) {
    if (!text.isEmpty()) {
      lines.append(text, written());
    }
  }

  /**
   * The edge of a block: at least this many line breaks, in a list only one; within a row of
   * several cells a space.
   */
  void edge(int wanted) {
    if (inCell()) {
      lines.space(" ");
    } else {
      lines.breakLines(lists.isEmpty() ? wanted : Math.min(wanted, 1));
    }
  }

  void lineBreak() {
    if (inCell()) {
      lines.space(" ");
    } else {
      lines.lineBreak();
    }
  }

  void openList() {
    lists.push(BULLETS);
  }

  void openNumberedList(long first) {
    lists.push(first);
  }

  void closeList() {
    lists.poll();
  }

  void openItem() {
    edge(1);
    long number = lists.isEmpty() ? BULLETS : lists.peek();
    String indent = "  ".repeat(Math.clamp(lists.size() - 1, 0, MAX_INDENT));
    lines.bullet(indent + (number == BULLETS ? "- " : number + ". "));
    if (number != BULLETS) {
      lists.pop();
      lists.push(number + 1);
    }
  }

  /** Writes a mark, on the line of the list's item if that begins with it. */
  void itemMark(String mark) {
    if (!lines.addToBullet(mark)) {
      raw(mark);
    }
  }

  void closeItem() {
    lines.bullet("");
    edge(1);
  }

  /** Opens a row, which begins on a new line. */
  void openRow(int cells) {
    lines.breakLines(1);
    rows.push(cells < 2 ? Row.LAYOUT : Row.BEFORE_FIRST_CELL);
  }

  void closeRow() {
    rows.poll();
    lines.breakLines(1);
  }

  void openCell() {
    if (rows.peek() == Row.IN_CELLS) {
      lines.space("");
      raw(lines.atLineStart() ? "| " : " | ");
    } else if (rows.peek() == Row.BEFORE_FIRST_CELL) {
      rows.pop();
      rows.push(Row.IN_CELLS);
    }
  }

  /** Opens a code fence on a separate line, in a row of a table too. */
  void openPre() {
    lines.openFence();
    pre++;
  }

  void closePre() {
    lines.closeFence();
    pre--;
  }

  /** Opens an element with a mark. */
  void open(String mark) {
    lines.open(mark);
  }

  /** Closes it with a mark if it shows something. */
  void close(String mark, String end) {
    lines.close(mark, end);
  }

  void openStrike() {
    lines.strikes(1);
  }

  void closeStrike() {
    lines.strikes(-1);
  }

  /** Opens a heading; in a row of several cells it has no mark. */
  void openHeading(int level) {
    lines.heading(inCell() ? "" : "#".repeat(level) + " ");
  }

  void closeHeading() {
    lines.heading("");
  }

  /** Opens a quotation; in a row of several cells it has no mark. */
  void openQuote() {
    lines.quotes(inCell() ? 0 : 1);
  }

  void closeQuote() {
    lines.quotes(inCell() ? 0 : -1);
  }

  /**
   * Opens a link: what is written from here on is its text.
   *
   * @param leads whether it has an address; what is held back belongs before it
   */
  void openLink(boolean leads) {
    if (leads) {
      lines.flush(written());
    }
    links.push(lines.length());
  }

  /**
   * Closes a link and writes its address after its text, unless the text is that address or the
   * address is empty.
   */
  void closeLink(String address) {
    int from = lines.visible(links.pop());
    if (address.isEmpty()) {
      return;
    }
    if (from == lines.length()) {
      raw(address);
    } else if (!lines.says(from, address)) {
      lines.end(" (" + address + ")");
    }
  }

  /**
   * Whether the text keeps its own white space. Lists and tables of HTML follow HTML, also within
   * Markdown.
   */
  private boolean written() {
    return spacing == Spacing.WRITTEN && rows.isEmpty() && lists.isEmpty();
  }

  private boolean inCell() {
    return !rows.isEmpty() && rows.peek() != Row.LAYOUT;
  }

  private void words(String text) {
    int start = 0;
    while (start < text.length()) {
      char c = text.charAt(start);
      int end = start + 1;
      if (c == '\n' && spacing == Spacing.LINES) {
        lineBreak();
      } else if (c == '\n' && spacing == Spacing.WRITTEN) {
        edge(1);
      } else if (LineWriter.blank(c)) {
        lines.space(" ");
      } else {
        while (end < text.length() && !LineWriter.blank(text.charAt(end))) {
          end++;
        }
        lines.append(text.substring(start, end), written());
      }
      start = end;
    }
  }

  /** Writes line by line, each with the blanks before it. */
  private void asWritten(String text) {
    int start = 0;
    while (start < text.length()) {
      int words = start;
      while (words < text.length() && LineWriter.blank(text.charAt(words))) {
        words++;
      }
      lines.written(text.substring(start, words));
      int line = text.indexOf('\n', words);
      int end = line < 0 ? text.length() : line;
      while (end > words && LineWriter.blank(text.charAt(end - 1))) {
        end--;
      }
      if (end > words) {
        lines.append(text.substring(words, end), true);
      }
      start = end;
    }
  }
}
