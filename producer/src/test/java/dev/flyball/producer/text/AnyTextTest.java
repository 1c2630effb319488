package dev.flyball.producer.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a tracker sends: bounded text comes out, in bounded time. */
class AnyTextTest {
  private static final String[] PIECES = {
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<br>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<li>",
    "<ul>",
    "</ul>",
    "<ol>",
    "<pre>",
    "</pre>",
    "<code>",
    "</code>",
    "<a href='http://x.example/?a=1&b=2'>",
    "</a>",
    "<img alt='x'>",
    "<script>",
    "</script>",
    "<style>",
    "<!--",
    "-->",
    "<![CDATA[",
    "&amp;",
    "&nbsp;",
    "&#x1F600;",
    "&#0;",
    "&bogus;",
    "<",
    ">",
    "&",
    "\"",
    "'",
    "=",
    "\n",
    "\r\n",
    "\u00a0",
    "\ud83d\ude00",
    "\ud83d",
    "\u202e",
    "\u0000",
    "\u0645\u0631\u062d\u0628\u0627",
    "word",
    " ",
    "\t",
    "<div style='display:none'>",
    "</div>",
    "<svg>",
    "<math>",
    "<select>",
    "<template>",
    "<form>",
    "<h1>",
    "<frameset>",
    "<x-y z>",
    "<plaintext>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "<button>",
    "<nobr>",
    "<font color=red>",
    "<hr/>",
  };

  @Test
  void everyTextBecomesBoundedTextWithoutMarkup() {
    checkAll(new Random().nextLong(), 1_000);
  }

  @Test
  @Tag("long")
  void tenThousandTextsBecomeBoundedText() {
    checkAll(new Random().nextLong(), 10_000);
  }

  private static void checkAll(long seed, int cases) {
    for (int i = 0; i < cases; i++) {
      var random = new Random(seed + i);
      var text = new StringBuilder();
      int pieces = random.nextInt(200);
      for (int p = 0; p < pieces; p++) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      check(text.toString(), "seed " + (seed + i));
    }
  }

  private static void check(String raw, String description) {
    String clean = CleanText.of(raw);
    String bounded = Bounded.text(clean, 1024);
    String title = Bounded.line(CleanText.title(raw), 256);

    assertThat(clean).as(description).doesNotContain("\n\n\n", "\r", "\u00a0", "\u202e", "\u0000");
    assertThat(clean).as(description).isEqualTo(clean.strip());
    assertThat(CleanText.of(raw)).as("same again, %s", description).isEqualTo(clean);
    assertThat(bounded.getBytes(StandardCharsets.UTF_8).length)
        .as(description)
        .isLessThanOrEqualTo(1024);
    assertThat(title.getBytes(StandardCharsets.UTF_8).length)
        .as(description)
        .isLessThanOrEqualTo(256);
    assertThat(title).as(description).doesNotContain("\n");
  }

  /** Each of these made some HTML reader recurse to death or take quadratic time. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "<div>",
        "<b>",
        "<b><p>",
        "<ul><li>x",
        "<table><tr><td>",
        "<a href='x'>",
        "<b></p>",
        "<h1><b>",
        "<",
        "&",
        "&amp",
        "<b a=",
        "<!--",
        "<pre>",
        "<code>",
        "<b ",
        "\n",
        " ",
        "<ol><li>",
        "<b x1><b x2><p></b>",
        "data:image/png;base64,",
        "</b><b>",
        "<s>"
      })
  void hostileTextTakesBoundedTime(String piece) {
    String raw = "<p>start</p>" + piece.repeat(2_000_000 / piece.length());

    String clean = assertTimeout(Duration.ofSeconds(20), () -> CleanText.of(raw));

    assertThat(clean).startsWith("start");
  }

  @Test
  void anUnfinishedTagTakesBoundedTime() {
    String raw = "<a " + "=".repeat(400_000);

    String clean = assertTimeout(Duration.ofSeconds(20), () -> CleanText.of(raw));

    assertThat(clean).isEqualTo(raw);
  }

  @Test
  void anElementOfManyAttributesTakesBoundedTime() {
    var tag = new StringBuilder("<div");
    for (int i = 0; i < 100_000; i++) {
      tag.append(" a").append(i).append("=1");
    }

    String clean = assertTimeout(Duration.ofSeconds(20), () -> CleanText.of(tag + ">x</div>"));

    assertThat(clean).isEqualTo("x");
  }

  @Test
  void pastedPicturesDoNotCrowdOutTheText() {
    String raw =
        "<p>before</p><img src=\"data:image/png;base64,"
            + "QUJD".repeat(500_000)
            + "\"><p>after</p>";

    assertThat(CleanText.of(raw)).isEqualTo("before\n\nafter");
  }
}
