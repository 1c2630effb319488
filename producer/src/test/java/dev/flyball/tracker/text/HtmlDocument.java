package dev.flyball.tracker.text;

/** Generates HTML as trackers, mail programs and attackers with hidden instructions write it. */
final class HtmlDocument {
  private final Vocabulary words;

  private HtmlDocument(Vocabulary words) {
    this.words = words;
  }

  static String of(Vocabulary words) {
    return "<div>" + words.some(2, "\n", () -> new HtmlDocument(words).block(0)) + "</div>";
  }

  private String block(int depth) {
    if (depth > 3) {
      return "<p>" + inline() + "</p>";
    }
    return words.oneOf(
        () -> "<p>" + inline() + "</p>",
        () -> "<p class=x>" + inline() + "\n",
        () -> "<DIV STYLE='color:red;font-size:12px'>" + inline() + "</DIV>",
        () -> "<h2>" + inline() + "</h2>",
        () -> "<blockquote>" + block(depth + 1) + "</blockquote>",
        () -> "<ul>" + words.some(3, "\n", () -> item(depth)) + "</ul>",
        () -> "<ol start='7'>" + words.some(3, "", () -> item(depth)) + "</ol>",
        () -> "<table><tbody>" + words.some(3, "", this::row) + "</tbody></table>",
        () -> "<table><tr><td>" + block(depth + 1) + "</td></tr></table>",
        () -> "<pre><code>" + code("\n  ") + "</code></pre>",
        () -> "<details><summary>" + inline() + "</summary>" + block(depth + 1) + "</details>",
        () -> "<strike>" + block(depth + 1) + "</strike>",
        () -> inline() + "<hr>",
        () -> "<dl><dt>" + inline() + "<dd>" + inline() + "</dl>",
        this::hiddenBlock);
  }

  private String item(int depth) {
    String end = words.oneOf("</li>", "");
    String mark = words.oneOf("", "<input type=checkbox>", "<input type='checkbox' checked>");
    return "<li>" + mark + inline() + (words.oneIn(3) ? block(depth + 1) : "") + end;
  }

  private String row() {
    String name = words.oneOf("td", "th");
    String open = "<" + name + " width=50>";
    return "<tr>" + open + inline() + "</" + name + ">" + open + "<p>" + inline() + "</p></tr>";
  }

  private String hiddenBlock() {
    return words.oneOf(
        () -> "<div style=\"display : NONE\">" + words.hidden() + "<p>" + words.hidden() + "</div>",
        () -> "<p hidden>" + words.hidden() + "</p>",
        () -> "<div aria-hidden='true'><b>" + words.hidden() + "</b></div>",
        () -> "<div style='visibility:hidden;color:red'>" + words.hidden() + "</div>",
        () -> "<div style='max-height:0;overflow:hidden'>" + words.hidden() + "</div>",
        () -> "<div style='position:absolute;left:-9999px'>" + words.hidden() + "</div>",
        () -> "<p style='font-size:0'>" + words.hidden() + "</p>",
        () -> "<p style='color:#fff;font-size:1px;line-height:1px'>" + words.hidden() + "</p>",
        () ->
            "<div style='font-size:0'>"
                + words.hidden()
                + "<p style='font-size:9pt'>"
                + words.visible()
                + "</p></div>",
        () -> "<script type='x'>if (a<b) { '<p>" + words.hidden() + "</p>' }</script>",
        () -> "<style>p { content: '" + words.hidden() + "' }</style>",
        () -> "<!--[if mso]><p>" + words.hidden() + "</p><![endif]-->",
        () -> "<svg><title>" + words.hidden() + "</title><text>x</text></svg>",
        () -> "<iframe src='https://x.example'>" + words.hidden() + "</iframe>",
        () -> "<template><p>" + words.hidden() + "</p></template>",
        () -> "<img width=1 height=1 alt='" + words.hidden() + "' src=x>",
        () -> "<img alt='" + words.hidden() + "' style='width:1px;height:1px'>");
  }

  private String inline() {
    return words.some(3, words.oneOf(" ", "\n", "&nbsp;", "<br>", " <wbr>"), this::piece);
  }

  private String piece() {
    return words.oneOf(
        words::visible,
        words::visible,
        () -> "<b>" + words.visible() + "</b>",
        () -> "<span style='font-family:\"x\"'><I>" + words.visible() + "</I></span>",
        () -> words.visible() + " &lt; " + words.visible() + " &amp;&amp; 1",
        () -> "&#" + (int) 'v' + ";" + words.visible().substring(1),
        () -> words.visible() + "<o:p></o:p>",
        () -> "<code>" + code(" ") + "</code>",
        () -> words.visible() + "<sup>" + words.visible() + "</sup>",
        () -> "<del>" + words.visible() + " <s>" + words.visible() + "</s></del>",
        () -> link(words.visible()),
        () -> "<a href='#'>" + words.visible() + "</a>",
        () -> "<a href='javascript:" + words.hidden() + "()'>" + words.visible() + "</a>",
        () -> "<a href='#' data-vss-mention=\"version:2.0,x\">@" + words.visible() + "</a>",
        () -> mention(words.visible()),
        () -> "<img src='" + words.hidden() + ".png' alt='" + words.visible() + "'>",
        () -> "<img class='emoji' src=x alt='" + words.visible() + "'>",
        () -> "<span style='display:none'>" + words.hidden() + "</span>",
        () -> "<!-- " + words.hidden() + " -->",
        () -> "<span title='" + words.hidden() + "'>" + words.visible() + "</span>");
  }

  private String link(String text) {
    return "<a href=\"https://"
        + words.visible()
        + "/?utm_source="
        + words.hidden()
        + "&amp;a="
        + words.visible()
        + "\" title='"
        + words.hidden()
        + "'>"
        + text
        + "</a>";
  }

  private String mention(String name) {
    return "<a class='user-mention' href='/users/" + words.hidden() + "'>@" + name + "</a>";
  }

  private String code(String between) {
    String word = words.anyWord();
    String piece = words.verbatim("<p>" + between + word + "</p>" + between + "a &amp; b");
    return piece.replace("&", "&amp;").replace("<", "&lt;");
  }
}
