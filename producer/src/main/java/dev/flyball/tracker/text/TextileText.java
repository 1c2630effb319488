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

  /** Code: a block, which may lack its end, the begin of an element, in a line, a paragraph. */
  private static final Pattern CODE =
      Pattern.compile(
          "<pre\\b[^<>]*+>(?:\\s*+<code\\b[^<>]*+>)?(?<block>.*?)(?:</pre>|\\z)"
              + "|(?<open><code\\b[^<>]*+>)"
              + "|(?<![\\w@])@[^\\s@](?:[^@\\n]*[^\\s@])?@(?![\\p{L}\\p{N}])"
              + "|^bc\\.\\.?[ \\n].*?(?=\\n\\n|\\z)",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE | Pattern.DOTALL);

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
    Matcher found = CODE.matcher(text);
    Matcher ends = CODE_END.matcher(text);
    // Where an element's end is missing, it is missing for all that follow.
    boolean endless = false;
    int from = 0;
    while (found.find(from)) {
      from = found.end();
      if (found.group("open") == null) {
        String block = found.group("block");
        take(found.start(), from, block == null ? found.group() : fenced(block, found));
      } else {
        endless = endless || !ends.find(from);
        if (!endless) {
          String code = "`" + text.substring(from, ends.start()).strip() + "`";
          from = ends.end();
          take(found.start(), from, code);
        }
      }
    }
    markdown.append(text, done, text.length());
  }

  /** A block of code between fences on lines by themselves. */
  private String fenced(String block, Matcher found) {
    String code = block.stripTrailing();
    if (code.regionMatches(true, code.length() - 7, "</code>", 0, 7)) {
      code = code.substring(0, code.length() - 7).stripTrailing();
    }
    boolean first = found.start() == 0 || text.charAt(found.start() - 1) == '\n';
    boolean last = found.end() == text.length() || text.charAt(found.end()) == '\n';
    return (first ? "" : "\n")
        + ("```" + (code.startsWith("\n") ? "" : "\n") + code + "\n```")
        + (last ? "" : "\n");
  }

  private void take(int start, int end, String code) {
    markdown.append(text, done, start).append(MARK).append(codes.size()).append(MARK);
    codes.add(code);
    done = end;
  }
}
