package dev.flyball.tracker.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Any input of a tracker gives bounded text, in bounded time. {@code -Dtext.cases=N} runs more
 * cases.
 */
class AnyTextTest {
  private static final int CASES = Integer.getInteger("text.cases", 500);

  private static final String[] PIECES =
      """
      <p>|</p>|<b>|</b>|<br>|<table>|<tr>|<td>|</table>|<li>|<ul>|</ul>|<ol>|<pre>|</pre>|\
      <code>|</code>|<a href='http://x.example/?a=1&b=2'>|</a>|<img alt='x'>|<script>|\
      </script>|<style>|<!--|-->|<![CDATA[|&amp;|&nbsp;|&#x1F600;|&#0;|&bogus;|<|>|&|"|'|=|\
      \n|\r\n|\u00a0|\ud83d\ude00|\ud83d|\u202e|\u0000|\u0645\u0631\u062d\u0628\u0627|word|\
       |\t|<div style='display:none'>|</div>|<svg>|<math>|<select>|<template>|<form>|<h1>|\
      <blockquote>|<del>|</del>|<sup>|</sup>|<frameset>|<x-y z>|<plaintext>|<textarea>|\
      </textarea>|<noscript>|<button>|<nobr>|<font color=red>|<hr/>|`|\n```\n|\n    |\n> |\
      \n- |\\|[//]: #|{"type":"text","text":"a"}|{"type":"doc","content":[|]}|\
      {"type":"date","attrs":{"timestamp":"|{"type":"orderedList","attrs":{"order":|\
      {"type":"listItem","content":[|{"type":"tableRow","content":[|\
      {"type":"blockquote","content":[|\
      "marks":[{"type":"strike"},{"type":"subsup","attrs":{"type":"sup|\
      "marks":[{"type":"link","attrs":{"href":"|"}}|"}|},\
      """
          .split("\\|", -1);

  private static final String DOCUMENT = "{\"type\":\"doc\",\"content\":[";

  /** Inputs that made a reader of HTML or Markdown overflow its stack or take quadratic time. */
  private static final String[] HOSTILES =
      """
      <div>|<b>|<b><p>|<ul><li>x|<table><tr><td>|<a href='x'>|<b></p>|<h1><b>|<blockquote>|\
      <del>x<br>|<sup><sub>|<|&|&amp|<b a=|<b a="|<!--|<!---->|x <!-- \n\n|<pre>|<code>|<b |\
      \n| |<ol><li>|<b x1><b x2><p></b>|data:image/png;base64,|</b><b>|<s>|<svg>|\
      <title></title|<div style='font-size:0'>|`|` `` ``` |```\n|~~~x\n|> |>\n|- |1.\n|\
          x\n\n|\\|\\`|[//]: #\n|&amp;|*|*a **b |![|[a](|<s>x|@a @\
      """
          .split("\\|", -1);

  private static final String[] HOSTILE_JSON = {
    DOCUMENT,
    "{\"type\":\"text\",\"text\":\"a\"},",
    "{\"type\":\"listItem\",\"content\":[",
    "{\"a\":",
    "[",
    "\"text\":\"a\",",
  };

  /** Long enough to show recursion; only a very long input shows quadratic time. */
  private static final int HOSTILE = 20_000;

  private static final int LONG_HOSTILE = 2_000_000;

  private static final Duration LONG = Duration.ofMinutes(2);

  private static final List<UnaryOperator<String>> CLEANERS =
      List.of(
          CleanText::of,
          MarkdownText::of,
          MarkdownText::orTextile,
          AdfText::of,
          AnyTextTest::titles);

  // S0-6
  @Test
  void everyTextBecomesBoundedText() {
    long seed = new Random().nextLong();
    for (int i = 0; i < CASES; i++) {
      var random = new Random(seed + i);
      var text = new StringBuilder();
      int pieces = random.nextInt(100);
      for (int p = 0; p < pieces; p++) {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
      for (UnaryOperator<String> cleaner : CLEANERS) {
        check(cleaner, text.toString(), "seed " + (seed + i));
      }
    }
  }

  private static void check(UnaryOperator<String> cleaner, String raw, String description) {
    String clean = cleaner.apply(raw);
    String bounded = Bounded.text(clean, 1024);

    assertThat(clean).as(description).doesNotContain("\r", "\u00a0", "\u202e", "\u0000");
    assertThat(clean.length()).as(description).isLessThanOrEqualTo(6 * raw.length() + 64);
    // References name characters that are not in the source.
    if (!raw.contains("&")) {
      String ours = raw + "[image: ] [cut: characters left out]";
      assertThat(clean.chars().filter(Character::isLetter))
          .as("no letters but the source's, %s", description)
          .allMatch(c -> ours.indexOf(c) >= 0);
    }
    assertThat(clean).as(description).isEqualTo(clean.strip());
    // Code keeps its blank lines; outside of it there is at most one.
    if (!clean.contains("```") && !clean.contains("~~~")) {
      assertThat(clean).as(description).doesNotContain("\n\n\n");
    }
    assertThat(cleaner.apply(raw)).as("same again, %s", description).isEqualTo(clean);
    assertThat(bounded.getBytes(StandardCharsets.UTF_8).length)
        .as(description)
        .isLessThanOrEqualTo(1024);
  }

  private static String titles(String raw) {
    String title = CleanText.title(raw);
    assertThat(title).doesNotContain("\n");
    return title;
  }

  @Test
  void hostileTextTakesBoundedTime() {
    hostile(HOSTILE);
  }

  @Test
  @Tag("long")
  void longHostileTextTakesBoundedTime() {
    hostile(LONG_HOSTILE);
  }

  private static void hostile(int length) {
    for (String piece : HOSTILES) {
      String raw = "<p>start</p>\n" + piece.repeat(length / piece.length());

      assertThat(clean(CleanText::of, raw)).as(piece).startsWith("start");
      assertThat(clean(MarkdownText::of, raw)).as(piece).startsWith("start");
      assertThat(clean(MarkdownText::orTextile, raw)).as(piece).startsWith("start");
    }
    String ticks = ticks(Math.min(length, MarkdownText.MAX_MARKUP / 2));
    assertThat(clean(MarkdownText::of, ticks)).isEqualTo(ticks);
    String unfinished = "<a " + "=".repeat(length);
    assertThat(clean(CleanText::of, unfinished)).isEqualTo(unfinished);
    String attributes = attributes(length);
    assertThat(clean(CleanText::of, attributes)).isEqualTo("x");
    if (length <= MarkdownText.MAX_MARKUP) {
      assertThat(clean(MarkdownText::of, unfinished)).isEqualTo(unfinished);
      assertThat(clean(MarkdownText::of, attributes)).isEqualTo("x");
    } else {
      assertThat(clean(MarkdownText::of, unfinished)).startsWith("<a ==").contains("[cut: ");
    }
    for (String piece : HOSTILE_JSON) {
      String raw = DOCUMENT + piece.repeat(length / piece.length());

      assertThat(clean(AdfText::of, raw)).as(piece).isNotEmpty();
      assertThat(clean(AdfText::of, raw.substring(DOCUMENT.length()))).as(piece).isNotEmpty();
    }
  }

  /** Runs of backticks of every length, none of which ends another. */
  private static String ticks(int length) {
    var ticks = new StringBuilder("`");
    for (int i = 2; ticks.length() < length; i++) {
      ticks.append(' ').repeat('`', i);
    }
    return ticks.toString();
  }

  /** One element with very many attributes, as many as the HTML parser handles in time. */
  private static String attributes(int length) {
    var tag = new StringBuilder("<div");
    for (int i = 0; tag.length() < Math.min(length, 1_000_000); i++) {
      tag.append(" a").append(i).append("=1");
    }
    return tag + ">x</div>";
  }

  private static String clean(UnaryOperator<String> cleaner, String raw) {
    return assertTimeoutPreemptively(LONG, () -> cleaner.apply(raw));
  }

  @ParameterizedTest
  @ValueSource(strings = {"word\u001b[0m \n", "<b>x</b> &amp; data:image/png;base64,QUJD\n"})
  void theLargestAnswerTakesBoundedTime(String piece) {
    String raw = "x".repeat(1024) + piece.repeat(64 * 1024 * 1024 / piece.length());

    for (UnaryOperator<String> cleaner : CLEANERS) {
      assertThat(Bounded.text(clean(cleaner, raw), 1024)).contains("[cut: ");
    }
  }

  /**
   * Elements in each other, a hundred thousand deep, and an answer full of the first kind. What is
   * allocated is compared with the longest markup that is parsed: unlike time it is the same on
   * every machine, and copying what is inside of each level would show.
   */
  @Test
  void noNestingCostsMoreThanItsMarkupAllows() {
    long html = 1_000L * CleanText.MAX_MARKUP;
    long markdown = 4_000L * MarkdownText.MAX_MARKUP;
    long adf = 200L * CleanText.MAX_TEXT;
    String item = "<ol><li>a";
    costs(html, CleanText::of, "<blockquote>", "<ul><li>", "<table><tr><td>a<td>", "[");
    costs(markdown, MarkdownText::of, "> ", "- ", "- a\n\n", "[", "![", "*a **b ", "| a ", item);
    costs(markdown, MarkdownText::orTextile, "bq. ", "** ", "@a ", "<pre>", "|a", "\"a\":");
    costs(
        adf,
        AdfText::of,
        DOCUMENT
            + "{\"type\":\"text\",\"text\":\"a\",\"marks\":[@"
            + "{\"type\":\"subsup\"},{\"type\":\"code\"},@{}]}]}",
        DOCUMENT + "@{\"type\":\"tableRow\",\"content\":[{},{}]},@{}]}",
        DOCUMENT + "@{\"type\":\"blockquote\",\"content\":[@",
        DOCUMENT + "@[@");
  }

  /** Cleans texts that repeat a piece; it may be written between what is before and behind it. */
  private static void costs(long most, UnaryOperator<String> cleaner, String... pieces) {
    var thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    int characters = 64 * 1024 * 1024;
    for (String each : Stream.concat(Stream.of(pieces[0]), Stream.of(pieces)).toList()) {
      String[] parts = each.startsWith(DOCUMENT) ? each.split("@") : new String[] {"", each};
      String many = parts[1].repeat(characters > 0 ? characters / parts[1].length() : 100_000);
      String raw = parts[0] + many + (parts.length > 2 ? parts[2] : "");
      long before = thread.getCurrentThreadAllocatedBytes();
      String clean = cleaner.apply(raw);
      assertThat(thread.getCurrentThreadAllocatedBytes() - before).as(each).isLessThan(most);
      assertThat(clean.length()).isLessThan(2 * CleanText.MAX_TEXT);
      characters = 0;
    }
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
