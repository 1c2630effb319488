package dev.flyball.tracker.text;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.tracker.TestSources;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Documents of which every word is known. {@code -Dtext.cases=N} runs more cases, {@code
 * -Dtext.seed=S} repeats one; a failure names the seed of its case.
 *
 * <p>A grammar has a line for each alternative of a rule; the first one ends the nesting. A word is
 * {@code %v} if a reader sees it, after those before it, and {@code %h} if no reader does. What is
 * between double braces stays as it is; its words are {@code %k}.
 */
@DisplayName("S0-24: of each document each visible word is kept, once, and nothing else")
class GeneratedTextTest {
  private static final int CASES = Integer.getInteger("text.cases", 1_000);
  private static final int MAX_DEPTH = 7;

  /** What our cleaning adds, and what the grammars have besides their words. */
  private static final Set<String> OURS =
      Set.of("image", "x", "https", "example", "png", "copy", "a", "v", "1", "2");

  private static final String[] TAILS = {"", "", "", "\u00e9", "\u4f60", "\u0645", "x9"};
  private static final Pattern TOKEN = Pattern.compile("%([a-z]+)");
  private static final Pattern PIECE = Pattern.compile("(?s)\\{\\{(.*?)}}(?!})");
  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
  private static final Pattern TAG = Pattern.compile("</?[a-zA-Z!][^>\\n]{0,99}>|-->|&[a-z]+;");
  private static final Pattern NUMBER =
      Pattern.compile("(?m)(?:^[ >~]*|(?<= ))[0-9]{1,2}\\.(?: |$)");

  @Test
  void html() {
    check("html", CleanText::of, code -> Parser.unescapeEntities(code, false));
  }

  @Test
  void markdown() {
    check("markdown", MarkdownText::of, UnaryOperator.identity());
  }

  @Test
  void textile() {
    check("textile", MarkdownText::orTextile, UnaryOperator.identity());
  }

  @Test
  void adf() {
    check("adf", AdfText::of, code -> RecordJson.parse('"' + code + '"').asText());
  }

  private static void check(
      String grammar, UnaryOperator<String> cleaner, UnaryOperator<String> decoded) {
    Map<String, List<String>> rules =
        TestSources.resource("/dev/flyball/tracker/text/" + grammar + ".txt")
            .lines()
            .map(line -> line.split(" ", 2))
            .collect(groupingBy(rule -> rule[0], mapping(rule -> rule[1], toList())));
    long first = Long.getLong("text.seed", new Random().nextLong());
    System.out.println(grammar + ": " + CASES + " documents from seed " + first);
    for (long seed = first; seed < first + CASES; seed++) {
      var document = new Document(rules, new Random(seed));
      String written = document.of("doc", 0);
      String raw = grammar.equals("adf") ? written : written.replace("\\n", "\n");
      List<String> pieces =
          PIECE.matcher(raw).results().map(piece -> decoded.apply(piece.group(1))).toList();
      String source = PIECE.matcher(raw).replaceAll("$1");
      try {
        String clean = cleaner.apply(source);
        hold(clean.length() <= 2 * source.length() + 64, "longer than its source:\n" + clean);
        nothingElse(withoutSeen(document.visible, withoutPieces(pieces, clean)));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dtext.cases=1 -Dtext.seed=" + seed + "\n" + source, e);
      }
    }
  }

  /** A document of a grammar. */
  private static final class Document {
    private final Map<String, List<String>> rules;
    private final Random random;
    private final List<String> visible = new ArrayList<>();
    private int count;

    Document(Map<String, List<String>> rules, Random random) {
      this.rules = rules;
      this.random = random;
    }

    private String of(String rule, int depth) {
      List<String> choices = rules.get(rule);
      if (choices == null) {
        String word = rule + count++ + "e";
        if (rule.equals("v")) {
          word += TAILS[random.nextInt(TAILS.length)];
          visible.add(word);
        }
        return word;
      }
      String chosen = choices.get(depth > MAX_DEPTH ? 0 : random.nextInt(choices.size()));
      return TOKEN
          .matcher(chosen)
          .replaceAll(token -> Matcher.quoteReplacement(of(token.group(1), depth + 1)));
    }
  }

  /** Checks that code is there character by character, in the margins of its lines. */
  private static String withoutPieces(List<String> pieces, String clean) {
    String rest = clean;
    for (String piece : pieces) {
      String lines = Pattern.quote(piece).replace("\n", "\\E\n[> ]*\\Q");
      Matcher found = Pattern.compile(lines).matcher(rest);
      hold(found.find(), "'" + piece + "' is not in\n" + clean);
      rest = rest.substring(0, found.start()) + " " + rest.substring(found.end());
    }
    return rest;
  }

  /** Checks that every word is there in its place; returns the text beside them. */
  private static String withoutSeen(List<String> words, String clean) {
    var rest = new StringBuilder();
    int at = 0;
    for (String word : words) {
      int found = clean.indexOf(word, at);
      hold(found >= 0, "'" + word + "' is not at its place in\n" + clean);
      rest.append(clean, at, found).append('_');
      at = found + word.length();
    }
    return rest.append(clean, at, clean.length()).toString();
  }

  private static void nothingElse(String rest) {
    hold(!TAG.matcher(rest).find(), "a tag is left in\n" + rest);
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
