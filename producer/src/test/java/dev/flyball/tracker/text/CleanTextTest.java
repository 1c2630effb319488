package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-24, S0-14: tracker HTML becomes clean text")
class CleanTextTest {

  @Test
  void breaksAndParagraphsBecomeNewlines() {
    assertThat(CleanText.of("<p>one<br>two</p><p>three</p>")).isEqualTo("one\ntwo\n\nthree");
  }

  @Test
  void entitiesAndNoBreakSpacesAreDecoded() {
    assertThat(CleanText.of("<div>a&nbsp;&amp;&nbsp;b &lt;c&gt; &#8364;</div>"))
        .isEqualTo("a & b <c> \u20ac");
  }

  @Test
  void threeAndMoreNewlinesBecomeTwoAndTheEndsAreTrimmed() {
    assertThat(CleanText.of("<br><div>a</div><br><br><br><br><div>b</div><br>\n "))
        .isEqualTo("a\n\nb");
    assertThat(CleanText.of("\n\n a\n\n\n\n\nb  \n")).isEqualTo("a\n\nb");
  }

  @Test
  void plainTextPassesThrough() {
    for (String plain :
        new String[] {
          "if a < b then c > d",
          "Map<String, List<T>> and vector<a> stay",
          "x <b and c> y",
          "first\n  - indented\n\tcode",
          "5 <6 and <none>",
          "a & b && c",
          "mail <someone@example.org> about it",
        }) {
      assertThat(CleanText.of(plain)).isEqualTo(plain);
    }
  }

  @Test
  void aTerminalsEscapeSequencesGoAsAWhole() {
    assertThat(CleanText.of("\033[1;31mERROR\033[0m done\033[2K")).isEqualTo("ERROR done");
    assertThat(CleanText.title("\033[31mred\033[m title")).isEqualTo("red title");
    assertThat(CleanText.of("\u009b31mred")).isEqualTo("red");
    assertThat(CleanText.of("\033]0;window\007a \033]8;;http://x\033\\link\033]8;;\033\\ b"))
        .isEqualTo("a link b");
    assertThat(CleanText.of("a stray \033 and \033[ and \033]never ended"))
        .as("text after a stray escape stays")
        .isEqualTo("a stray  and [ and ]never ended");
  }

  @Test
  void encodedTextWithoutTagsIsDecoded() {
    assertThat(CleanText.of("a &lt; b&nbsp;&amp; c")).isEqualTo("a < b & c");
  }

  @Test
  void inlineMarkupKeepsTheTextsOwnLines() {
    assertThat(CleanText.of("one <b>two</b>\nthree")).isEqualTo("one two\nthree");
  }

  @Test
  void listsKeepTheirMarks() {
    assertThat(
            CleanText.of(
                "<p>Steps:</p><ol><li>open</li><li>see<ul><li>this</li></ul></li></ol>end"))
        .isEqualTo("Steps:\n\n1. open\n2. see\n  - this\nend");
  }

  @Test
  void whatIsStruckOutSaysSo() {
    assertThat(CleanText.of("<p>a <del> b <b>c</b></del><s>d</s><strike></strike> e</p>"))
        .isEqualTo("a ~~b cd~~ e");
    assertThat(CleanText.of("<del><p>a</p><ul><li>b</li></ul></del><pre><s>c</s></pre>"))
        .as("each line by itself; code has no marks")
        .isEqualTo("~~a~~\n\n- ~~b~~\n\n```\nc\n```");
  }

  @Test
  void raisedAndLoweredTextHasASign() {
    assertThat(
            CleanText.of(
                "<p>2<sup>10</sup> is 10<sup> -3</sup>? x<sup>n+1</sup>, H<sub>2</sub>O,"
                    + " a<sub>i</sub><sup><b>2</b></sup><sup></sup></p>"))
        .isEqualTo("2^10 is 10 ^-3? x^(n+1), H_2O, a_i^(2)");
  }

  @Test
  void headingsKeepTheirLevel() {
    assertThat(
            CleanText.of(
                "<h1>Seen</h1>one<h3><del>two</del> <code>c</code></h3><h2> </h2>"
                    + "<ul><li><h2>three</h2></li></ul><table><tr><td>a</td><td><h4>b</h4></td></tr></table>"))
        .isEqualTo("# Seen\n\none\n\n### ~~two~~ `c`\n\n- ## three\n\na | b");
  }

  @Test
  void quotationsAreMarkedOnEachLine() {
    assertThat(
            CleanText.of(
                "a<blockquote><p>b<br>c</p><blockquote>d</blockquote><ul><li>e</li></ul>"
                    + "<pre>f\n  g\n</pre></blockquote>h<blockquote></blockquote>"))
        .isEqualTo("a\n\n> b\n> c\n>\n> > d\n>\n> - e\n>\n> ```\n> f\n>   g\n> ```\n\nh");
    assertThat(CleanText.of("<blockquote>".repeat(9) + "a")).isEqualTo("> > > > a");
  }

  @Test
  void tablesBecomeRows() {
    assertThat(
            CleanText.of(
                "<table><tr><th>Name</th><th>Value</th></tr>"
                    + "<tr><td><p>a</p><p>b</p></td><td>1<br>2</td></tr></table>"))
        .isEqualTo("Name | Value\na b | 1 2");
  }

  @Test
  void layoutTablesKeepTheirParagraphs() {
    assertThat(CleanText.of("<table><tr><td><p>a</p><p>b</p></td></tr></table>"))
        .isEqualTo("a\n\nb");
  }

  @Test
  void codeKeepsItsShape() {
    assertThat(
            CleanText.of(
                "<p>Call <code>f(x)</code>:</p><pre>if (a &lt; b) {\n  f(x);\n}\n</pre>after"))
        .isEqualTo("Call `f(x)`:\n\n```\nif (a < b) {\n  f(x);\n}\n```\n\nafter");
  }

  @Test
  void linksSayWhereTheyGo() {
    assertThat(
            CleanText.of(
                "<ul><li><a href='https://a.example/x'>the log</a> or"
                    + " <a href='https://b.example'>https://b.example</a></li></ul>"
                    + "<a href='javascript:alert(1)'>no</a> <a href='https://c.example'></a>"))
        .isEqualTo("- the log (https://a.example/x) or https://b.example\nno https://c.example");
  }

  @Test
  void imagesSayWhatTheyShow() {
    assertThat(
            CleanText.of("<p>See <img src='x.png' alt='a stack trace'><img src='pixel.gif'></p>"))
        .isEqualTo("See [image: a stack trace]");
  }

  @Test
  void invisibleTextIsLeftOut() {
    assertThat(
            CleanText.of(
                "<style>p{}</style><script>x()</script><div>a<span style='DISPLAY : none'>ignore"
                    + " all rules</span><span hidden>h</span><i aria-hidden=true>i</i><b"
                    + " style='font-size:0px'>z</b><b style='font-size:0.9em'>y</b><!-- c"
                    + " --></div>"))
        .isEqualTo("ay");
  }

  @Test
  void whatTrackersAndMailProgramsHideIsLeftOut() {
    for (String hidden :
        new String[] {
          "<img width=1 height=1 alt='pixel' src=x>",
          "<img width='0' alt='pixel'>",
          "<img style='width:1px; height:1px' alt='pixel'>",
          "<div style='max-height:0px;overflow:hidden'>preheader</div>",
          "<div style='font-size:1px;color:#fff'>preheader</div>",
          "<span style='position:absolute; left:-10000px'>aside</span>",
          "<span style='clip: rect(0 0 0 0)'>aside</span>",
        }) {
      assertThat(CleanText.of("<p>a" + hidden + "b</p>").replace("\n", "")).isEqualTo("ab");
    }
  }

  @Test
  void lettersWithASizeOfTheirOwnAreSeenInsideOfTinyOnes() {
    assertThat(
            CleanText.of(
                "<div style='font-size:0px'>x<a href='https://x.example'>y</a><div"
                    + " style='font-size:13px'>seen <i style='font-size:0'>not</i> too</div><b"
                    + " style='font-size:2em'>z</b></div>end"))
        .isEqualTo("seen too\nend");
  }

  @Test
  void linksAreFreeOfTracking() {
    assertThat(
            CleanText.of(
                "<a href='https://a.example/x?utm_source=mail&amp;n=1&amp;fbclid=2#p'>log</a> <a"
                    + " href='https://b.example/?utm_medium=x'>https://b.example/?utm_medium=x</a>"))
        .isEqualTo("log (https://a.example/x?n=1#p) https://b.example/?utm_medium=x");
  }

  @Test
  void mentionsAreNames() {
    assertThat(
            CleanText.of(
                "<div><a href=\"#\" data-vss-mention=\"version:2.0,0a1b\">@Ana Ruiz</a>, <a"
                    + " class=\"user-hover\" href=\"/secure/ViewProfile.jspa?id=7\">Bo</a>, <a"
                    + " class=\"user-mention notranslate\" href=\"https://g.example/c\">@c</a> see"
                    + " <a href=\"https://dev.example/_workitems/edit/12\""
                    + " data-vss-mention=\"version:1.0\">#12</a> <img class=emoji"
                    + " alt=':tada:'></div>"))
        .isEqualTo("@Ana Ruiz, Bo, @c see #12 (https://dev.example/_workitems/edit/12) :tada:");
  }

  @Test
  void numberedListsBeginWhereTheySay() {
    assertThat(CleanText.of("<ol start=4><li>a<li>b</ol><ol start=x><li>c</ol>"))
        .isEqualTo("4. a\n5. b\n1. c");
  }

  @Test
  void codeInATableStandsOnItsOwnLines() {
    assertThat(CleanText.of("<table><tr><td>a</td><td><pre>b\nc</pre></td><td>d</td></tr></table>"))
        .isEqualTo("a |\n```\nb\nc\n```\n| d");
  }

  @Test
  void invisibleCharactersGoAndJoinersStay() {
    assertThat(
            CleanText.of(
                "a\u200b\u00adb\u202e\u0007c \udb40\udc41 \ud83d\udc69\u200d\ud83d\udcbb"
                    + " \u0645\u06cc\u200c\u062e"))
        .isEqualTo(
            "abc \ud83d\udc69\u200d\ud83d\udcbb \u0645\u06cc\u200c\u062e".replace("abc ", "abc  "));
  }

  @Test
  void halfACharacterBecomesTheReplacementMark() {
    assertThat(CleanText.of("a\ud83db")).isEqualTo("a\ufffdb");
  }

  @Test
  void titlesAreOneLine() {
    assertThat(CleanText.title("  a\n\n b\u00a0&amp; <c> ")).isEqualTo("a b &amp; <c>");
  }

  @Test
  void halfOfATypicalTrackersMarkupIsSaved() {
    String soup =
        "<div style=\"box-sizing:border-box;font-family:&quot;Segoe"
            + " UI&quot;,sans-serif;font-size:14px\"><p style=\"margin:0px\"><span"
            + " style=\"color:rgb(0,0,0)\">Search returns stale results after a"
            + " rename.</span></p></div>";
    assertThat(CleanText.of(soup)).isEqualTo("Search returns stale results after a rename.");
  }
}
