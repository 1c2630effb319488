package dev.flyball.tracker.text;

/**
 * Markdown as it is written, without what its reader would not see: comments and HTML. Code stays
 * verbatim, with its tags. Never throws, and takes time linear in its input, whatever the input.
 */
public final class MarkdownText {
  private MarkdownText() {}

  /**
   * Cleans a field that is Markdown.
   *
   * @return clean text of any length; {@link Bounded} cuts it
   */
  public static String of(String field) {
    var scan = new MarkdownScan(field);
    return Tidy.lines(
        scan.plain()
            ? field
            : HtmlRenderer.text(scan.markup(), TextWriter.Spacing.WRITTEN, scan.codes(), field));
  }
}
