package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Writes what elements mean for the lines of a text: lists, tables, code and links. White space and
 * the marks of elements are held back until something visible follows, so that adjacent blocks make
 * one break and empty elements leave nothing.
 */
final class TextWriter {
  private static final int MAX_INDENT = 8;
  private static final int MAX_QUOTES = 4;
  private static final String STRIKE = "~~";

  /** Instead of a number: the items of the list have none. */
  private static final long BULLETS = -1;

  /** The number after the last item's. */
  static final long NEXT = -1;

  /** The meaning of white space in the text itself. */
  enum Spacing {
    /** Any run is one space: the markup gives the */
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

  /** The number of the next item of each open list. */
  private final Deque<Long> lists = new ArrayDeque<>();

  private final Deque<Row> rows = new ArrayDeque<>();

  /** Where the text of each open link begins. */
  private final Deque<Integer> links = new ArrayDeque<>();

  private final StringBuilder out = new StringBuilder();

  /** What is held back, in the order in which it is written. */
  private int newlines;

  private String gap = "";
  private String indent = "";
  private String bullet = "";
  private String heading = "";
  private final StringBuilder opening = new StringBuilder();

  /** Open blocks of code, which have no marks inside. */
  private int codes;

  /** Open quotations, and how many of them the last line shows. */
  private int quotes;

  private int quoted;

  /** Open elements that strike out, and whether the line has a mark to close. */
  private int struck;

  private boolean striking;

  TextWriter(Spacing spacing) {
    this.spacing = spacing;
  }

  /**
   * Writes running text. Its white space is handled as {@link Spacing} says; in code all of it is
   * kept.
   */
  void write(String text) {
    if (codes > 0) {
      raw(atLineStart() && text.startsWith("\n") ? text.substring(1) : text);
    } else if (written()) {
      asWritten(text);
    } else {
      words(text);
    }
  }

  /** Writes text without any change. */
  void raw(String text) {
    if (!text.isEmpty()) {
      append(text, written());
    }
  }

  /**
   * The edge of a block: at least this many line breaks, in a list only one; within a row of
   * several cells a space.
   */
  void edge(int wanted) {
    if (inCell()) {
      space(" ");
    } else {
      breakLines(lists.isEmpty() ? wanted : Math.min(wanted, 1));
    }
  }

  void lineBreak() {
    if (inCell()) {
      space(" ");
    } else {
      breakLine();
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

  /**
   * Opens an item of a list.
   *
   * @param value its own number; {@link #NEXT} for the one that follows
   */
  void openItem(long value) {
    edge(1);
    long next = lists.isEmpty() ? BULLETS : lists.peek();
    long number = next == BULLETS || value == NEXT ? next : value;
    String indent = "  ".repeat(Math.clamp(lists.size() - 1, 0, MAX_INDENT));
    bullet(indent + (number == BULLETS ? "- " : number + ". "));
    if (number != BULLETS) {
      lists.pop();
      lists.push(number + 1);
    }
  }

  /** Writes a mark, on the line of the list's item if that begins with it. */
  void itemMark(String mark) {
    if (!addToBullet(mark)) {
      raw(mark);
    }
  }

  void closeItem() {
    bullet("");
    edge(1);
  }

  /** Opens a row, which begins on a new line. */
  void openRow(int cells) {
    breakLines(1);
    rows.push(cells < 2 ? Row.LAYOUT : Row.BEFORE_FIRST_CELL);
  }

  void closeRow() {
    rows.poll();
    breakLines(1);
  }

  void openCell() {
    if (rows.peek() == Row.IN_CELLS) {
      space("");
      raw(atLineStart() ? "| " : " | ");
    } else if (rows.peek() == Row.BEFORE_FIRST_CELL) {
      rows.pop();
      rows.push(Row.IN_CELLS);
    }
  }

  /** Opens a code fence on a separate line, in a row of a table too. */
  void openPre() {
    openFence();
  }

  void closePre() {
    closeFence();
  }

  /** Opens a heading; in a row of several cells it has no mark. */
  void openHeading(int level) {
    heading(inCell() ? "" : "#".repeat(level) + " ");
  }

  /** Opens a quotation; in a row of several cells it has no mark. */
  void openQuote() {
    quotes(inCell() ? 0 : 1);
  }

  void closeQuote() {
    quotes(inCell() ? 0 : -1);
  }

  /**
   * Opens a link: what is written from here on is its text.
   *
   * @param leads whether it has an address; what is held back belongs before it
   */
  void openLink(boolean leads) {
    if (leads) {
      flush(written());
    }
    links.push(out.length());
  }

  /**
   * Closes a link and writes its address after its text, unless the text is that address or the
   * address is empty.
   */
  void closeLink(String address) {
    int from = visible(links.pop());
    if (address.isEmpty()) {
      return;
    }
    if (from == out.length()) {
      raw(address);
    } else if (!says(from, address)) {
      end(" (" + address + ")");
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
      } else if (blank(c)) {
        while (end < text.length() && blank(text.charAt(end)) && text.charAt(end) != '\n') {
          end++;
        }
        blanks(text.substring(start, end));
      } else {
        while (end < text.length() && !blank(text.charAt(end))) {
          end++;
        }
        append(text.substring(start, end), written());
      }
      start = end;
    }
  }

  /** White space of HTML; at the beginning of a line no-break spaces indent. */
  private void blanks(String blanks) {
    int fixed = blanks.indexOf('\u00a0');
    if (fixed >= 0 && atLineStart() && blanks.length() - fixed > 1) {
      indent += " ".repeat(blanks.length() - fixed);
    } else if (indent.isEmpty()) {
      space(" ");
    }
  }

  /** Text whose lines and indentation a page keeps. */
  void preserved(String text) {
    if (codes > 0 || inCell() || written()) {
      write(text);
      return;
    }
    int start = 0;
    while (start <= text.length()) {
      int line = text.indexOf('\n', start);
      int end = line < 0 ? text.length() : line;
      words(text.substring(start, end).replace("\t", "    ").replace(' ', '\u00a0'));
      if (line >= 0) {
        breakLine();
      }
      start = end + 1;
    }
  }

  /** Writes line by line, each with the blanks before it. */
  private void asWritten(String text) {
    int start = 0;
    while (start < text.length()) {
      int words = start;
      while (words < text.length() && blank(text.charAt(words))) {
        words++;
      }
      written(text.substring(start, words));
      int line = text.indexOf('\n', words);
      int end = line < 0 ? text.length() : line;
      while (end > words && blank(text.charAt(end - 1))) {
        end--;
      }
      if (end > words) {
        append(text.substring(words, end), true);
      }
      start = end;
    }
  }

  String text() {
    endStrike();
    return out.toString();
  }

  /** Whether the next text begins a line. */
  boolean atLineStart() {
    return newlines > 0;
  }

  /** At least this many line breaks before the next text. */
  void breakLines(int wanted) {
    indent = "";
    newlines = Math.max(newlines, wanted);
  }

  /** One line break more, up to a blank line. */
  private void breakLine() {
    indent = "";
    newlines = Math.min(2, newlines + 1);
  }

  /** This white space before the next text, unless it begins a line. */
  void space(String blanks) {
    gap = blanks;
  }

  /** White space that is kept as it was written. */
  void written(String blanks) {
    int line = blanks.lastIndexOf('\n');
    if (line >= 0) {
      breakLines((int) blanks.chars().filter(c -> c == '\n').limit(2).count());
      gap = blanks.substring(line + 1);
    } else {
      gap += blanks;
    }
  }

  /** The mark of a list's item, or nothing. */
  void bullet(String mark) {
    bullet = mark;
  }

  /** Adds to the mark of an item that has shown nothing yet; false if there is none. */
  boolean addToBullet(String mark) {
    boolean begun = !bullet.isEmpty();
    bullet += begun ? mark : "";
    return begun;
  }

  /** The mark of a heading, or nothing. */
  void heading(String mark) {
    heading = mark;
  }

  /** Opens an element with a mark. */
  void open(String mark) {
    if (codes == 0) {
      opening.append(mark);
    }
  }

  /** Closes it with a mark if its opening one was written. */
  void close(String mark, String end) {
    if (codes == 0 && opening.isEmpty()) {
      end(end);
    } else if (codes == 0) {
      opening.setLength(opening.length() - mark.length());
    }
  }

  /** Opens or closes elements that strike out. */
  void strikes(int change) {
    struck += change;
  }

  /** Opens or closes quotations. */
  void quotes(int change) {
    quotes += change;
  }

  void openFence() {
    codes++;
    breakLines(1);
    append("```", false);
    newlines = 1;
  }

  void closeFence() {
    String line = "\n" + quoteMarks(quotes);
    newlines = out.indexOf(line, out.length() - line.length()) >= 0 ? 0 : 1;
    gap = "";
    append("```", false);
    newlines = 1;
    codes--;
  }

  /** Writes a mark right after the last text. */
  void end(String mark) {
    endStrike();
    out.append(mark);
  }

  /** Writes text after all that is held back; its lines keep the marks of the quotation. */
  void append(String text, boolean indented) {
    flush(indented);
    out.append(quotes == 0 ? text : text.replace("\n", "\n" + quoteMarks(quotes)));
  }

  /**
   * Writes what is held back.
   *
   * @param indented whether white space at the beginning of a line is kept
   */
  void flush(boolean indented) {
    boolean begun = !out.isEmpty();
    boolean line = newlines > 0 || !begun;
    if (line || struck == 0 || codes > 0) {
      closeStrike();
    }
    if (line) {
      if (begun) {
        out.repeat("\n" + quoteMarks(Math.min(quoted, quotes)), newlines - 1).append('\n');
      }
      out.append(quoteMarks(quotes)).append(begun && indented ? gap : "");
      out.append(begun ? indent : "");
      quoted = quotes;
    } else if (!blank(out.charAt(out.length() - 1))) {
      out.append(gap);
    }
    out.append(bullet);
    newlines = 0;
    gap = "";
    indent = "";
    bullet = "";
    if (codes == 0) {
      out.append(heading).append(!striking && struck > 0 ? STRIKE : "").append(opening);
      striking = struck > 0;
      heading = "";
      opening.setLength(0);
    }
  }

  /** Index of the first visible character from there on; the length if there is none. */
  int visible(int from) {
    int at = from;
    while (at < out.length() && blank(out.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Whether the text from there on is this, possibly with parameters or a fragment after it. */
  boolean says(int from, String address) {
    int end = from + address.length();
    return out.indexOf(address, from) == from
        && (end == out.length() || "?&#".indexOf(out.charAt(end)) >= 0);
  }

  static boolean blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\u00a0';
  }

  /** Ends what is struck out once no element strikes out what follows. */
  private void endStrike() {
    if (struck == 0) {
      closeStrike();
    }
  }

  private void closeStrike() {
    if (striking) {
      out.append(STRIKE);
      striking = false;
    }
  }

  private static String quoteMarks(int quotes) {
    return "> ".repeat(Math.min(quotes, MAX_QUOTES));
  }
}
