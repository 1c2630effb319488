package dev.flyball.tracker.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A text of Redmine, which may be Textile or Markdown: its answers do not say which. Textile's code
 * stays verbatim, as its reader sees it; the rest is read as Markdown, whose code and HTML Textile
 * shares. Never throws, and takes bounded time, whatever the input.
 */
public final class TextileText {
  /** Marks a piece of code, around its number; it is no character, so no text contains it. */
  private static final String MARK = "\uFFFE";

  private static final Pattern MARKED = Pattern.compile(MARK + "([0-9]{1,9})" + MARK);

  private static final Pattern OPEN =
      Pattern.compile(
          "<(pre)\\b[^<>]*+>(?:\\s*+<code\\b[^<>]*+>)?|<(code)\\b[^<>]*+>|(?<![\\w@])@(?=[^\\s@])"
              + "|^bc\\.\\.?[ \\n]",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  private static final Pattern PRE_END = Pattern.compile("</pre>", Pattern.CASE_INSENSITIVE);
  private static final Pattern CODE_END = Pattern.compile("</code>", Pattern.CASE_INSENSITIVE);

  private final String text;
  private final StringBuilder markdown = new StringBuilder();
  private final List<String> codes = new ArrayList<>();
  private int done;

  private TextileText(String text) {
    this.text = text;
  }

  /**
   * Cleans a field that is Textile or Markdown.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    String one = field.replace(MARK, "").replace("\r\n", "\n");
    int end = Math.min(one.length(), MarkdownText.MAX_MARKUP);
    var textile = new TextileText(one.substring(0, end));
    textile.takeCode();
    String clean = MarkdownText.untidy(textile.markdown + one.substring(end));
    return Tidy.lines(
        MARKED
            .matcher(clean)
            .replaceAll(found -> Matcher.quoteReplacement(textile.code(found.group(1)))));
  }

  private String code(String number) {
    int index = Integer.parseInt(number);
    return index < codes.size() ? codes.get(index) : "";
  }

  private void takeCode() {
    Matcher opens = OPEN.matcher(text);
    // Where an element's end is missing, it is missing for all that follow.
    boolean endless = false;
    int from = 0;
    while (opens.find(from)) {
      from = opens.end();
      if (opens.group(1) != null) {
        from = block(opens.start(), opens.end());
      } else if (opens.group(2) != null) {
        int end = endless ? -1 : find(CODE_END, from);
        endless = end < 0;
        if (end >= 0) {
          from = take(opens.start(), end + 7, "`" + text.substring(from, end).strip() + "`");
        }
      } else if (opens.group().equals("@")) {
        int end = closing(from);
        from = end < 0 ? from : take(opens.start(), end, text.substring(opens.start(), end));
      } else {
        int blank = text.indexOf("\n\n", from);
        int end = blank < 0 ? text.length() : blank;
        from = take(opens.start(), end, text.substring(opens.start(), end));
      }
    }
    markdown.append(text, done, text.length());
  }

  /** A block of code; without an end it takes what follows, as on Redmine's page. */
  private int block(int start, int from) {
    int close = find(PRE_END, from);
    int end = close < 0 ? text.length() : close;
    String code = text.substring(from, end).stripTrailing();
    if (code.regionMatches(true, code.length() - 7, "</code>", 0, 7)) {
      code = code.substring(0, code.length() - 7).stripTrailing();
    }
    int after = close < 0 ? end : end + 6;
    String before = start == 0 || text.charAt(start - 1) == '\n' ? "" : "\n";
    String first = code.startsWith("\n") ? "" : "\n";
    String last = after == text.length() || text.charAt(after) == '\n' ? "" : "\n";
    return take(start, after, before + "```" + first + code + "\n```" + last);
  }

  /** Where code in a line ends that begins there; -1 if it does not. */
  private int closing(int from) {
    int end = text.indexOf('@', from);
    int line = text.indexOf('\n', from);
    boolean closes =
        end > from
            && (line < 0 || end < line)
            && !Character.isWhitespace(text.charAt(end - 1))
            && (end + 1 == text.length() || !Character.isLetterOrDigit(text.charAt(end + 1)));
    return closes ? end + 1 : -1;
  }

  private int find(Pattern end, int from) {
    Matcher found = end.matcher(text);
    return found.find(from) ? found.start() : -1;
  }

  private int take(int start, int end, String code) {
    markdown.append(text, done, start).append(MARK).append(codes.size()).append(MARK);
    codes.add(code);
    done = end;
    return end;
  }
}
