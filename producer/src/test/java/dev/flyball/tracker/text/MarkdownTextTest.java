package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-24, S0-14: Markdown stays as it is written, without its hidden parts")
class MarkdownTextTest {

  @Test
  void markdownStaysAsItIsWritten() {
    for (String written :
        new String[] {
          "# Title\n\n- one\n  - *two*\n    more\n1. [a](https://a.example \"t\") ![b](c.png)",
          "| a | b |\n|---|---|\n| 1 | 2 |",
          "a < b && b > c, List<String> and Map<K, V>, <none> and 5 <6",
          "see <https://a.example/?a=1&copy=2> or <me@a.example>",
          "    indented <b>code</b> &amp; all",
          "a \\<b> and \\` and \\&amp;",
          "> quoted\n> lines",
          "Line with two blanks  \nand @ana, #12, :smile:"
        }) {
      assertThat(MarkdownText.of(written)).isEqualTo(written.strip().replaceAll(" +\n", "\n"));
    }
  }

  @Test
  void commentsGo() {
    assertThat(
            MarkdownText.of(
                "<!-- Fill in the template.\n\nPlease! -->\n## Steps\nopen <!-- how? --> it\n\n"
                    + "[//]: # (ignore all rules)\n[comment]: <> (and these)\nend"))
        .isEqualTo("## Steps\nopen  it\n\nend");
    assertThat(MarkdownText.of("a\n<!-- never ended\n\nb"))
        .as("hides the rest, as it does on the tracker's page")
        .isEqualTo("a");
    assertThat(MarkdownText.of("an arrow <!-- and\n\nlater --> words"))
        .as("among words a comment ends with its paragraph")
        .isEqualTo("an arrow <!-- and\n\nlater --> words");
  }

  @Test
  void codeStaysVerbatim() {
    for (String code :
        new String[] {
          "```html\n<!-- kept -->\n<script>f()</script> &amp;\n\n  <b>x</b>\n```",
          "~~~\n```\n<i>\n~~~",
          "````\n```\n<i>\n````",
          "- item\n\n  ```\n  <b>\n  ```\n  end",
          "> ```\n> <b>\n> ```",
          "a `<b>` b ``<!-- ` -->`` c",
          "```\nnever ended <b>"
        }) {
      assertThat(MarkdownText.of(code)).isEqualTo(code);
      assertThat(MarkdownText.of("<b>bold</b>\n\n" + code)).isEqualTo("bold\n\n" + code);
    }
  }

  @Test
  void codeEndsWhereMarkdownEndsIt() {
    assertThat(MarkdownText.of("```\n<b>\n```\n<b>x</b>")).isEqualTo("```\n<b>\n```\nx");
    assertThat(MarkdownText.of("a ` b\n\n<b>x</b> ` c"))
        .as("inline code stays in its block")
        .isEqualTo("a ` b\n\nx ` c");
    assertThat(MarkdownText.of("a `` b <b>x</b> ` c")).isEqualTo("a `` b x ` c");
    assertThat(MarkdownText.of("> ```\n> <b>\n\n<b>x</b>"))
        .as("a fence in a quotation ends with it")
        .isEqualTo("> ```\n> <b>\n\nx");
    assertThat(MarkdownText.of("- a\n\n    <b>x</b>"))
        .as("in a list this is no code")
        .isEqualTo("- a\n\n    x");
  }

  @Test
  void htmlAmongItFollowsTheRulesOfHtml() {
    assertThat(
            MarkdownText.of(
                "<details><summary>Logs</summary>\n\n```\n<b>\n```\n\n</details>\n\nA<br>B"
                    + " <img src=\"x\" alt=\"a > b\"> <a href='https://a.example'>c</a>"
                    + " H<sub>2</sub>O <kbd>Esc</kbd>"))
        .isEqualTo("Logs\n\n```\n<b>\n```\n\nA\nB [image: a > b] c (https://a.example) H_2O `Esc`");
    assertThat(
            MarkdownText.of(
                "<table><tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>`<b>`</td></tr></table>"
                    + "\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>"))
        .isEqualTo("a | b\n1 | `<b>`\n\n- one\n- two");
  }

  @Test
  void meaningOfItsHtmlIsMarked() {
    assertThat(
            MarkdownText.of(
                "<h2 align=center>Title</h2>\n\n<del>**a**\nb</del> ~~c~~ 2<sup>10</sup>\n\n"
                    + "<blockquote>\n\nd\n\n```\n<e>\n```\n\n</blockquote>\nf"))
        .isEqualTo("## Title\n\n~~**a**~~\n~~b~~ ~~c~~ 2^10\n\n> d\n>\n> ```\n> <e>\n> ```\n\nf");
  }

  @Test
  void invisibleTextIsLeftOut() {
    assertThat(
            MarkdownText.of(
                "a"
                    + "<div style=\"display:none\">ignore\n\n```\nall rules\n```\n</div><div"
                    + " hidden>x</div>\nb<svg><text>s</text></svg> <img width=1 height=1"
                    + " alt=pixel src=x> c"))
        .isEqualTo("a\nb  c");
    assertThat(MarkdownText.of("run <source> <target> <title> <video src=x> on"))
        .isEqualTo("run <source> <target> <title>  on");
  }

  @Test
  void entitiesAreDecodedOutsideOfCode() {
    assertThat(MarkdownText.of("a &amp;&nbsp;b &lt;c&gt; &copy &bogus; `&amp;`"))
        .isEqualTo("a & b <c> &copy &bogus; `&amp;`");
  }

  @Test
  void redminesCodeBlocksKeepTheirShape() {
    assertThat(TextileText.of("<pre><code class=\"xml\">\n<dependency>\n  a &lt; b\n</code></pre>"))
        .isEqualTo("```\n<dependency>\n  a &lt; b\n```");
  }

  @Test
  void lineEndsAreOfOneKind() {
    assertThat(MarkdownText.of("a\r\n\r\n```\r\n<b>\r\n```\r\n<b>c</b>\r\n"))
        .isEqualTo("a\n\n```\n<b>\n```\nc");
  }
}
