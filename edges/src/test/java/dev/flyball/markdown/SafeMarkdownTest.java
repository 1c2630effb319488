package dev.flyball.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.LinkReferenceDefinition;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is left of an agent's Markdown before a tracker reads it. */
class SafeMarkdownTest {
  private static final Parser FORGE =
      Parser.builder().extensions(List.of(TablesExtension.create())).build();

  /** Pieces that mean something to Markdown, to HTML or to a tracker. */
  private static final List<String> PIECES =
      List.of(
          "<",
          ">",
          "[",
          "]",
          "(",
          ")",
          "!",
          "`",
          "```",
          "~~~",
          "*",
          "**",
          "_",
          "#",
          "@",
          "\\",
          "&",
          "&lt;",
          "&#64;",
          "|",
          "|-|-|",
          "---",
          "===",
          "- ",
          "+ ",
          "1. ",
          "> ",
          "    ",
          "\n",
          "\n\n",
          "\t",
          ":",
          "http://a.b",
          "www.a.b",
          "a@b.c",
          "@ann",
          "#12",
          "GH-12",
          "o/r#1",
          "<!--",
          "-->",
          "<img src=x>",
          "</pre>",
          "<details>",
          "[x]: http://a",
          "[x](http://a)",
          "![x](http://a)",
          "<http://a>",
          "\" t",
          "word",
          " ",
          "x");

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "'# Cause' ~ '### Cause'",
        "'*a* **b** `c`' ~ '*a* **b** `c`'",
        "'- a' ~ '- a'",
        "'3. a' ~ '3. a'",
        "'> so' ~ '> so'",
        "'```sh|ls <x>|```' ~ '```|ls <x>|```'",
        "'<b>x</b>' ~ '\\<b\\>x\\</b\\>'",
        "'<script>|x' ~ '```|<script>|x|```'",
        "'[log in](https://e.example)' ~ 'log in (https:\u200b//e.example)'",
        "'<https://e.example>' ~ 'https:\u200b//e.example'",
        "'![p](e.png)' ~ 'p (e.png)'",
        "'[a]: b' ~ '\\[a\\]: b'",
        "'@ann &#64;bob #7 GH-7' ~ '@\u200bann @\u200bbob #\u200b7 GH\u200b-7'",
        "'/close |x !7' ~ '/\u200bclose|x !\u200b7'",
        "'`@ann #7`' ~ '`@ann #7`'",
      })
  void aTrackerGetsWhatCannotAct(String markdown, String left) {
    assertThat(SafeMarkdown.markdown(markdown.replace('|', '\n')))
        .isEqualTo(left.replace('|', '\n'));
  }

  @Test
  void htmlHasNoAddressThatABrowserWouldLoad() {
    assertThat(SafeMarkdown.html("# A\n\n|a|\n|-|\n|<i>@ann</i>|\n\n![p](http://e)"))
        .isEqualToIgnoringNewLines(
            "<h3>A</h3><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;i&gt;@\u200bann"
                + "&lt;/i&gt;</td></tr></tbody></table><p>p (http:\u200b//e)</p>");
  }

  @Test
  void whateverIsWrittenNothingActsWhenItIsReadAgain() {
    long seed = System.nanoTime();
    var random = new Random(seed);
    for (int n = 0; n < 5_000; n++) {
      String text =
          random
              .ints(random.nextInt(1, 30), 0, PIECES.size())
              .mapToObj(PIECES::get)
              .collect(Collectors.joining());
      assertThat(acting(SafeMarkdown.markdown(text))).as("seed %d: %s", seed, text).isEmpty();
      assertThat(SafeMarkdown.html(text))
          .as("seed %d: %s", seed, text)
          .doesNotContain("<img", "<a ", "<!--", "<details");
    }
  }

  /** Nested without end: 20 levels are kept, and time grows with the length. */
  @Test
  void noNestingOverflowsTheStack() {
    for (String open : List.of("**a ", "![", "> ", "- ")) {
      assertThat(SafeMarkdown.html(open.repeat(20_000) + "b" + "**".repeat(20_000))).contains("b");
    }
  }

  private static List<String> acting(String markdown) {
    var found = new ArrayList<String>();
    FORGE
        .parse(markdown)
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(Text text) {
                if (text.getLiteral().matches("(?si).*([@#]\\w|://|www\\.|GH-).*")) {
                  found.add(text.getLiteral());
                }
              }

              @Override
              public void visit(HtmlBlock node) {
                found.add(node.getLiteral());
              }

              @Override
              public void visit(HtmlInline node) {
                found.add(node.getLiteral());
              }

              @Override
              public void visit(Image node) {
                found.add(node.getDestination());
              }

              @Override
              public void visit(Link node) {
                found.add(node.getDestination());
              }

              @Override
              public void visit(LinkReferenceDefinition node) {
                found.add(node.getDestination());
              }
            });
    return found;
  }
}
