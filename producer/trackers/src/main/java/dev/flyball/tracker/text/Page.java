package dev.flyball.tracker.text;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/**
 * The text being written, for every input format. White space is held back until something visible
 * follows, so that adjacent blocks make one break.
 */
final class Page {
  private static final int MAX_INDENT = 8;
  private static final int MAX_QUOTES = 4;

  /** What follows a superscript's sign without brackets. */
  private static final Pattern SIMPLE = Pattern.compile("[-+]?[\\p{L}\\p{N}]+");

  private final Spacing spacing;
  private final StringBuilder out = new StringBuilder();
  private final Deque<ListLevel> lists = new ArrayDeque<>();
  private final Deque<Row> rows = new ArrayDeque<>();
  private final Deque<Integer> links = new ArrayDeque<>();

  /** Line breaks and blanks that are held back, and the mark of a list item that has begun. */
  private int newlines;

  private String gap = "";
  private String bullet = "";
  private String heading = "";

  /** Opening marks of elements that have shown nothing yet. */
  private final StringBuilder opening = new StringBuilder();

  private int pre;

  /** Open quotations, and how many of them the last line shows. */
  private int quotes;

  private int quoted;

  /** Open elements that strike their text out, and whether the line has a mark to close. */
  private int struck;

  private boolean striking;

  Page(Spacing spacing) {
    this.spacing = spacing;
  }

  String text() {
    endStrike();
    return out.toString();
  }

  /**
   * Writes running text. Its white space is handled as {@link Spacing} says; in code all of it is
   * kept.
   */
  void write(String text) {
    if (pre > 0) {
      boolean first = newlines > 0 && text.startsWith("\n");
      raw(first ? text.substring(1) : text);
    } else if (written()) {
      asWritten(text);
    } else {
      words(text);
    }
  }

  /** Writes text without any change. */
  void raw(String text) {
    if (!text.isEmpty()) {
      flush();
      out.append(quotes == 0 ? text : text.replace("\n", "\n" + quoteMarks(quotes)));
    }
  }

  /** The edge of a block: at least this many line breaks; within a row of several cells a space. */
  void edge(int wanted) {
    if (inCell()) {
      gap = " ";
    } else {
      newlines = Math.max(newlines, lists.size() > 1 ? Math.min(wanted, 1) : wanted);
    }
  }

  void lineBreak() {
    if (inCell()) {
      gap = " ";
    } else {
      newlines = Math.min(2, newlines + 1);
    }
  }

  void openList() {
    lists.push(new ListLevel(false, 1));
  }

  void openNumberedList(long first) {
    lists.push(new ListLevel(true, first));
  }

  void closeList() {
    lists.poll();
  }

  boolean inList() {
    return !lists.isEmpty();
  }

  void openItem() {
    openItem("");
  }

  /** Opens an item that begins with this mark of ours. */
  void openItem(String mark) {
    edge(1);
    bullet = (lists.isEmpty() ? "- " : lists.peek().next()) + mark;
  }

  void closeItem() {
    bullet = "";
    edge(1);
  }

  /**
   * Opens a row, which begins on a new line; a row of one cell is layout and keeps its paragraphs.
   */
  void openRow(int cells) {
    newlines = Math.max(newlines, 1);
    rows.push(new Row(cells < 2));
  }

  void closeRow() {
    rows.poll();
    newlines = Math.max(newlines, 1);
  }

  void openCell() {
    if (!rows.isEmpty() && rows.peek().second()) {
      gap = "";
      raw(newlines > 0 ? "| " : " | ");
    }
  }

  /** Opens a code fence on a separate line, in a row of a table too. */
  void openPre() {
    newlines = Math.max(newlines, 1);
    raw("```");
    newlines = 1;
    pre++;
  }

  void closePre() {
    pre--;
    String line = "\n" + quoteMarks(quotes);
    newlines = out.indexOf(line, out.length() - line.length()) >= 0 ? 0 : 1;
    gap = "";
    raw("```");
    newlines = 1;
  }

  /** Opens an element with a mark that is written once something visible follows. */
  void open(String mark) {
    if (pre == 0) {
      opening.append(mark);
    }
  }

  /** Closes it: its closing mark is written if its opening one was. */
  void close(String mark, String end) {
    if (pre > 0) {
      return;
    }
    if (opening.isEmpty()) {
      endStrike();
      out.append(end);
    } else {
      opening.setLength(opening.length() - mark.length());
    }
  }

  void openCode() {
    open("`");
  }

  void closeCode() {
    close("`", "`");
  }

  /**
   * Opens a superscript or subscript.
   *
   * @param words its text if it has nothing else; more than a number or a word goes in brackets
   */
  void openScript(char sign, String words) {
    open(sign + bracket(words, "("));
  }

  void closeScript(char sign, String words) {
    close(sign + bracket(words, "("), bracket(words, ")"));
  }

  private static String bracket(String words, String bracket) {
    return SIMPLE.matcher(words).matches() ? "" : bracket;
  }

  void openStrike() {
    struck++;
  }

  void closeStrike() {
    struck--;
  }

  /** Opens a heading; in a row of several cells it has no mark. */
  void openHeading(int level) {
    heading = inCell() ? "" : "#".repeat(level) + " ";
  }

  void closeHeading() {
    heading = "";
  }

  /** Opens a quotation; in a row of several cells it has no mark. */
  void openQuote() {
    quotes += inCell() ? 0 : 1;
  }

  void closeQuote() {
    quotes -= inCell() ? 0 : 1;
  }

  /**
   * Opens a link: what is written from here on is its text.
   *
   * @param leads whether it has an address; what is held back belongs before it
   */
  void openLink(boolean leads) {
    if (leads) {
      flush();
    }
    links.push(out.length());
  }

  /**
   * Closes a link and writes its address after its text, unless the text is that address or the
   * address is empty.
   */
  void closeLink(String address) {
    int from = links.isEmpty() ? 0 : links.pop();
    if (address.isEmpty()) {
      return;
    }
    endStrike();
    while (from < out.length() && blank(out.charAt(from))) {
      from++;
    }
    if (from == out.length()) {
      raw(address);
    } else if (!says(from, address)) {
      out.append(" (").append(address).append(')');
    }
  }

  /** Whether the text from there on is the address, possibly with what {@link Address} left out. */
  private boolean says(int from, String address) {
    int end = from + address.length();
    return out.indexOf(address, from) == from
        && (end == out.length() || "?&#".indexOf(out.charAt(end)) >= 0);
  }

  /**
   * Whether the text keeps its own white space. Lists and tables of HTML follow HTML, also within
   * Markdown.
   */
  private boolean written() {
    return spacing == Spacing.WRITTEN && rows.isEmpty() && lists.isEmpty();
  }

  private boolean inCell() {
    return !rows.isEmpty() && !rows.peek().single;
  }

  private void words(String text) {
    int start = 0;
    while (start < text.length()) {
      char c = text.charAt(start);
      if (c == '\n' && spacing == Spacing.LINES) {
        lineBreak();
        start++;
      } else if (c == '\n' && spacing == Spacing.WRITTEN) {
        edge(1);
        start++;
      } else if (blank(c)) {
        gap = " ";
        start++;
      } else {
        int end = start + 1;
        while (end < text.length() && !blank(text.charAt(end))) {
          end++;
        }
        flush();
        out.append(text, start, end);
        start = end;
      }
    }
  }

  private void asWritten(String text) {
    int start = 0;
    while (start < text.length()) {
      int words = start;
      while (words < text.length() && blank(text.charAt(words))) {
        words++;
      }
      hold(text.substring(start, words));
      int line = text.indexOf('\n', words);
      int end = line < 0 ? text.length() : line;
      start = end;
      while (start > words && blank(text.charAt(start - 1))) {
        start--;
      }
      if (start > words) {
        flush();
        out.append(text, words, start);
      }
    }
  }

  private void hold(String blanks) {
    int line = blanks.lastIndexOf('\n');
    if (line >= 0) {
      int breaks = (int) blanks.chars().filter(c -> c == '\n').limit(2).count();
      newlines = Math.max(newlines, breaks);
      gap = blanks.substring(line + 1);
    } else {
      gap += blanks;
    }
  }

  private void flush() {
    boolean begun = !out.isEmpty();
    boolean line = newlines > 0 || !begun;
    if (line || struck == 0 || pre > 0) {
      closeStrikeMark();
    }
    if (line) {
      if (begun) {
        out.repeat("\n" + quoteMarks(Math.min(quoted, quotes)), newlines - 1).append('\n');
      }
      out.append(quoteMarks(quotes)).append(begun && written() ? gap : "");
      quoted = quotes;
    } else if (!blank(out.charAt(out.length() - 1))) {
      out.append(gap);
    }
    if (!bullet.isEmpty()) {
      out.repeat(' ', 2 * Math.min(MAX_INDENT, Math.max(0, lists.size() - 1))).append(bullet);
      bullet = "";
    }
    newlines = 0;
    gap = "";
    if (pre == 0) {
      out.append(heading).append(!striking && struck > 0 ? "~~" : "").append(opening);
      striking = struck > 0;
      heading = "";
      opening.setLength(0);
    }
  }

  /** Ends what is struck out once no element strikes out what follows. */
  private void endStrike() {
    if (struck == 0) {
      closeStrikeMark();
    }
  }

  private void closeStrikeMark() {
    if (striking) {
      out.append("~~");
      striking = false;
    }
  }

  private static String quoteMarks(int quotes) {
    return "> ".repeat(Math.min(quotes, MAX_QUOTES));
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\u00a0';
  }

  /** One list that is open. */
  private static final class ListLevel {
    private final boolean ordered;
    private long number;

    ListLevel(boolean ordered, long first) {
      this.ordered = ordered;
      this.number = first;
    }

    String next() {
      return ordered ? number++ + ". " : "- ";
    }
  }

  /** One table row that is open. */
  private static final class Row {
    private final boolean single;
    private boolean begun;

    Row(boolean single) {
      this.single = single;
    }

    boolean second() {
      boolean second = begun;
      begun = true;
      return second;
    }
  }
}
