package dev.flyball.tracker.text;

/** Generates Markdown as people write it in GitHub and Redmine, with HTML in it. */
final class MarkdownDocument {
  private final Vocabulary words;

  private MarkdownDocument(Vocabulary words) {
    this.words = words;
  }

  static String of(Vocabulary words) {
    String text = words.some(3, "\n\n", () -> new MarkdownDocument(words).block());
    return words.oneIn(4) ? text.replace("\n", "\r\n") : text;
  }

  private String block() {
    return words.oneOf(
        this::line,
        () -> line() + "\n" + line(),
        () -> "## " + line(),
        () -> "> " + line() + "\n> " + line(),
        () -> words.some(3, "\n", () -> words.oneOf("- ", "12. ", "- [x] ") + line()),
        () -> "- " + line() + "\n\n    " + line() + "\n\nx",
        () -> "| " + line() + " | " + line() + " |\n|---|---|",
        () -> fence("```", "```"),
        () -> fence("~~~~ x", "~~~~"),
        () ->
            "- ```\n  "
                + words.verbatim("<!-- " + words.anyWord() + "\n\n    &amp; <script> </b>")
                + "\n  ```",
        () -> "x\n\n    " + code() + "\n\nx",
        () -> "<details open>\n<summary>" + html() + "</summary>\n\n" + block() + "\n\n</details>",
        () -> "<p align=\"center\">" + html() + "</p>",
        () -> "<table><tr><td>" + html() + "</td><td>" + html() + "</td></tr></table>",
        () -> "<ul>\n<li>" + html() + "</li>\n<li>" + html() + "</li>\n</ul>",
        () -> "<pre>\n" + html() + "\n</pre>",
        this::hiddenBlock);
  }

  private String hiddenBlock() {
    return words.oneOf(
        () -> "<!-- " + words.hidden() + "\n\n```\n" + words.hidden() + " -->",
        () -> "<!---->\n<!-- " + words.hidden() + " --> ",
        () -> "[//]: # (" + words.hidden() + ")",
        () -> "[comment]: <> (" + words.hidden() + ")",
        () -> "[" + words.hidden() + "]: https://x.example '" + words.hidden() + "'",
        () -> "<div style=\"display:none\">\n\n" + hiddenMarkdown() + "\n\n</div>",
        () -> "<div hidden>\n" + hiddenMarkdown() + "\n</div>",
        () -> "<p hidden>" + words.hidden() + "</p>");
  }

  private String hiddenMarkdown() {
    return words.oneOf(
        () -> "- " + words.hidden(),
        () -> "```\n<b>" + words.hidden() + "\n```",
        () -> "`" + words.hidden() + "` <b>" + words.hidden() + "</b>");
  }

  private String line() {
    return words.some(3, " ", this::piece);
  }

  /** A line of a block of HTML, in which nothing is Markdown. */
  private String html() {
    return words.some(3, " ", this::htmlPiece);
  }

  private String piece() {
    return words.oneOf(
        this::htmlPiece,
        words::visible,
        () -> words.verbatim("a <script> " + words.anyWord()),
        () -> words.verbatim("a <title>" + words.anyWord() + "</title>"),
        () -> "![" + words.visible() + "](data:image/png;base64," + words.hidden() + ")",
        () -> "**" + words.visible() + "**",
        () -> "[" + words.visible() + "](https://x.example/" + words.visible() + "?a=1&copy=2)",
        () -> "![" + words.visible() + "](" + words.visible() + ".png)",
        () -> "`" + code() + "`",
        () -> "`` ` " + code() + " ``",
        () -> words.verbatim("Map<" + words.anyWord() + ", List<T>>"),
        () -> words.verbatim("<https://x.example/" + words.anyWord() + "?a=1&lt=2>"),
        () -> words.verbatim("\\<b>" + words.anyWord()),
        () -> words.visible() + " < " + words.visible() + " && 1");
  }

  private String htmlPiece() {
    return words.oneOf(
        words::visible,
        () -> words.visible() + " &lt; " + words.visible() + "&nbsp;&amp; 1",
        () -> "<b>" + words.visible() + "</b>",
        () -> "<kbd>" + words.visible() + "</kbd>",
        () -> "<sub class='" + words.hidden() + "'>" + words.visible() + "</sub>",
        () -> words.visible() + "<br>" + words.visible() + "<br />",
        () -> "a <img alt=\"" + words.visible() + "\" src=\"" + words.hidden() + "\">",
        () -> "a <img width=\"1\" height=\"1\" alt=\"" + words.hidden() + "\">",
        () -> "<a href='https://x.example/'>" + words.visible() + "</a>",
        () -> "v<!-- " + words.hidden() + " -->",
        () -> "<span hidden>" + words.hidden() + "</span>",
        () -> "@" + words.visible());
  }

  private String fence(String open, String close) {
    return open
        + "\n"
        + words.verbatim("<!-- " + words.anyWord() + "\n\n  &amp; <script> </b>")
        + "\n"
        + close;
  }

  private String code() {
    return words.verbatim("<b>" + words.anyWord() + "</b> &lt; <!--");
  }
}
