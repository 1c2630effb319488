package dev.flyball.tracker.text;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Documents of which every word is known. {@code -Dtext.cases=N} runs more cases, {@code
 * -Dtext.seed=S} repeats one; a failure names the seed of its case.
 */
@DisplayName("S0-24: of each document each visible word is kept, once, and nothing else")
class GeneratedTextTest {

  private static final int CASES = Integer.getInteger("text.cases", 1_000);
  private static final int LIMIT = 512;

  /** What our cleaning adds, and what the generators write besides their words. */
  private static final Set<String> OURS =
      Set.of("image", "x", "https", "example", "png", "copy", "a", "v", "1", "2");

  private static final Pattern CUT = Pattern.compile("\\n\\[cut: \\d+ bytes left out]$");
  private static final Pattern QUOTE = Pattern.compile("(?m)^(?:> ?)+");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
  private static final Pattern TAG = Pattern.compile("</?[a-zA-Z!][^>\\n]{0,99}>|-->|&[a-z]+;");
  private static final Pattern NUMBER = Pattern.compile("(?m)(?:^ *|(?<= ))[0-9]{1,2}\\.(?: |$)");

  @Test
  void html() {
    check("HTML", HtmlDocument::of, CleanText::of);
  }

  @Test
  void markdown() {
    check("Markdown", MarkdownDocument::of, MarkdownText::of);
  }

  @Test
  void adf() {
    check("ADF", AdfDocument::of, AdfText::of);
  }

  private static void check(
      String name, Function<Vocabulary, String> generator, UnaryOperator<String> cleaner) {
    long first = Long.getLong("text.seed", new Random().nextLong());
    System.out.println(name + ": " + CASES + " documents from seed " + first);
    for (long seed = first; seed < first + CASES; seed++) {
      var words = new Vocabulary(new Random(seed));
      String raw = generator.apply(words);
      try {
        String clean = cleaner.apply(raw);
        bounded(raw, clean);
        String unquoted = QUOTE.matcher(clean).replaceAll("");
        nothingElse(withoutSeen(words, withoutVerbatim(words, unquoted)));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dtext.cases=1 -Dtext.seed=" + seed + "\n" + raw, e);
      }
    }
  }

  private static void bounded(String raw, String clean) {
    String bounded = Bounded.text(clean, LIMIT);
    hold(clean.length() <= 2 * raw.length() + 64, "longer than its source:\n" + clean);
    hold(bounded.getBytes(StandardCharsets.UTF_8).length <= LIMIT, "not cut:\n" + bounded);
    hold(
        bounded.equals(clean) || clean.startsWith(CUT.matcher(bounded).replaceFirst("")),
        "not its beginning:\n" + bounded);
  }

  /** Checks that code is there character by character; returns the text without it. */
  private static String withoutVerbatim(Vocabulary words, String clean) {
    String rest = clean;
    for (String piece : words.verbatim) {
      int at = rest.indexOf(piece);
      hold(at >= 0, "'" + piece + "' is not in\n" + clean);
      rest = rest.substring(0, at) + " " + rest.substring(at + piece.length());
    }
    return rest;
  }

  /** Checks that every word is there in its place; returns the text beside them. */
  private static String withoutSeen(Vocabulary words, String clean) {
    var rest = new StringBuilder();
    int at = 0;
    for (String word : words.visible) {
      int found = clean.indexOf(word, at);
      hold(found >= 0, "'" + word + "' is not at its place in\n" + clean);
      rest.append(clean, at, found).append('_');
      at = found + word.length();
    }
    return rest.append(clean, at, clean.length()).toString();
  }

  private static void nothingElse(String rest) {
    Matcher tag = TAG.matcher(rest);
    hold(!tag.find(), "a tag is left in\n" + rest);
    Matcher word = WORD.matcher(NUMBER.matcher(rest).replaceAll(""));
    while (word.find()) {
      hold(
          OURS.contains(word.group()),
          "'" + word.group() + "' is hidden, or nobody's, or there twice:\n" + rest);
    }
  }

  private static void hold(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
