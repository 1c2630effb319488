package dev.flyball.tracker;

import dev.flyball.markdown.SafeMarkdown;

/**
 * What we write into a tracker, before it is put into that tracker's markup.
 *
 * @param heading our own text, one line
 * @param answer an agent's text. It can neither mention people nor load images nor hide anything,
 *     whatever an item talked the agent into
 * @param marker our own text, one line, by which the comment is found again; the last line
 * @param plain whether the answer is shown as it is, and never as its Markdown
 */
public record CommentBody(String heading, String answer, String marker, boolean plain) {
  /** How each of our comments begins; a quotation of one does not begin with it. */
  public static final String HEADING = "Flyball looked at this item.";

  /** How the last line of each of our comments begins. */
  public static final String MARKER = "flyball item=";

  /** Longer markup, as of many lines in a deep quotation, is not worth its tracker's limit. */
  private static final int LONGEST = 50_000;

  /** Whether a comment says that it is ours; any user can write that. */
  static boolean isOurs(String text) {
    String stripped = text.strip();
    String last = stripped.substring(stripped.lastIndexOf('\n') + 1).strip();
    return stripped.startsWith(HEADING) && last.startsWith(MARKER);
  }

  /** As Markdown; a plain answer is inside a fence longer than any fence within it. */
  public String markdown() {
    String safe = plain ? "" : SafeMarkdown.markdown(answer);
    if (!plain && safe.length() <= LONGEST) {
      return heading + "\n\n" + safe + "\n\n" + marker;
    }
    String fence = "`".repeat(Math.max(3, longestRun(answer, '`') + 1));
    return heading + "\n\n" + fence + "text\n" + answer + "\n" + fence + "\n\n" + marker;
  }

  /**
   * For a tracker that takes Textile or Markdown and does not say which. Both know this one tag and
   * do not interpret its content; CommonMark only until a line with any of five end tags.
   */
  public String preformatted() {
    String inside = answer.replaceAll("(?i)<(?=/?\\s*(?:pre|code|script|style|textarea)\\b)", "< ");
    return heading + "\n\n<pre>\n" + inside + "\n</pre>\n\n" + marker;
  }

  /** For Jira's wiki markup; the answer is shown as it is. */
  public String wiki() {
    String inside = answer.replaceAll("(?i)\\{(?=noformat)", "{ ");
    return heading + "\n\n{noformat}\n" + inside + "\n{noformat}\n\n" + marker;
  }

  /** As HTML; a plain answer is escaped, in a preformatted block. */
  public String html() {
    String safe = plain ? "" : SafeMarkdown.html(answer);
    boolean shown = !plain && safe.length() <= LONGEST;
    return "<p>"
        + escaped(heading)
        + "</p>"
        + (shown ? safe : "<pre>" + escaped(answer) + "</pre>")
        + "<p>"
        + escaped(marker)
        + "</p>";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static int longestRun(String text, char of) {
    int longest = 0;
    int run = 0;
    for (int i = 0; i < text.length(); i++) {
      run = text.charAt(i) == of ? run + 1 : 0;
      longest = Math.max(longest, run);
    }
    return longest;
  }
}
