package dev.flyball.tracker.text;

/**
 * The lines being written. White space and the marks of elements are held back until something
 * visible follows, so that adjacent blocks make one break and empty elements leave nothing.
 */
final class LineWriter {
  private static final int MAX_QUOTES = 4;
  private static final String STRIKE = "~~";

  private final StringBuilder out = new StringBuilder();

  /** What is held back, in the order in which it is written. */
  private int newlines;

  private String gap = "";
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

  String text() {
    endStrike();
    return out.toString();
  }

  /** Where the next character is written, unless something is held back. */
  int length() {
    return out.length();
  }

  /** Whether the next text begins a line. */
  boolean atLineStart() {
    return newlines > 0;
  }

  /** At least this many line breaks before the next text. */
  void breakLines(int wanted) {
    newlines = Math.max(newlines, wanted);
  }

  /** One line break more, up to a blank line. */
  void lineBreak() {
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
      quoted = quotes;
    } else if (!blank(out.charAt(out.length() - 1))) {
      out.append(gap);
    }
    out.append(bullet);
    newlines = 0;
    gap = "";
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
