package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Comments and messages of the product and its pages use plain words: a reader who does not know
 * this project's habits understands each sentence the first time. Text in code font is not read.
 */
final class WordsTest {
  /** A word or phrase, and what to write instead. */
  private static final Map<String, String> INSTEAD =
      Map.ofEntries(
          Map.entry("mend(s|ed|ing)?", "fix"),
          Map.entry("nobody|somebody|whom|whoever", "name the subject: no runner, a user who"),
          Map.entry("anew|afresh", "again"),
          Map.entry("amid(st)?|midst", "partially, during"),
          Map.entry("at once", "immediately, or: at a time"),
          Map.entry("of (its|their|his) own", "separate"),
          Map.entry("le(ft|ave|aves|aving)( \\w+){0,2} alone", "paused, rate limited, skipped"),
          Map.entry("onlookers?", "mirror"),
          Map.entry("tenures?", "process scope"),
          Map.entry("last words", "shutdown report"),
          Map.entry("kin", "file kind"),
          Map.entry("without a word", "silently"),
          Map.entry("is no more|ended its life", "exited, deleted"),
          Map.entry("(is|are|was|were|be) told|tells of", "is configured as, reports"),
          Map.entry("heart(?! *beat)", "heartbeat, lease renewal"));

  private static final List<Pattern> WORDS =
      INSTEAD.keySet().stream()
          .map(word -> Pattern.compile("\\b(" + word + ")\\b", Pattern.CASE_INSENSITIVE))
          .toList();

  /** Strings come first, so that what looks like a comment inside one is none. */
  private static final Pattern WRITTEN =
      Pattern.compile(
          "(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\")|'(?:\\\\.|[^'\\\\\n])+'"
              + "|(/\\*.*?\\*/|//[^\n]*)",
          Pattern.DOTALL);

  private static final int STRING = 1;
  private static final int COMMENT = 2;

  /** Two strings of one sentence. */
  private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

  /** Two words side by side; a string without is a name or a format. */
  private static final Pattern SENTENCE = Pattern.compile("[A-Za-z]{2,}[,:;)]? [A-Za-z{`'(-]");

  private static final Pattern CODE =
      Pattern.compile(
          "(?s)```.*?```|`[^`\n]*`|\\{@(?:code|link)[^}]*\\}|@param \\w+|\\]\\([^)]*\\)");

  /** Has the words that the bundled agent does not search for. */
  private static final String STOP_WORDS = "Stems.java";

  @Test
  @DisplayName("comments, help, errors, reasons and log lines of the product use plain words")
  void sources() {
    assertThat(
            Repository.modules().stream()
                .flatMap(module -> Repository.sourcesOf(module.resolve("src/main")))
                .flatMap(file -> found(file, wordsOf(file))))
        .as("say instead: " + INSTEAD)
        .isEmpty();
  }

  @Test
  @DisplayName("pages use plain words")
  void pages() {
    assertThat(Repository.pages().stream().flatMap(file -> found(file, Repository.read(file))))
        .as("say instead: " + INSTEAD)
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"Waits for nobody., 1", "It is `nobody`., 0", "Fixed at once, 1", "the heartbeat, 0"})
  void theRuleSeesAWordAndNoCode(String text, int times) {
    assertThat(found(Path.of("x"), text)).hasSize(times);
  }

  @Test
  void theRuleReadsCommentsAndStrings() {
    String source = "int a; // mend\nString b = \"// see it an\" + \"ew\"; /* whom */";
    assertThat(written(source, COMMENT)).contains("mend", "whom").doesNotContain("anew");
    assertThat(written(source, STRING)).contains("anew").doesNotContain("mend");
  }

  private static String wordsOf(Path file) {
    String source = Repository.read(file);
    String comments = written(source, COMMENT).replaceAll("\n\\s*\\*(?!/)", "\n");
    return file.endsWith(STOP_WORDS) ? comments : comments + "\n" + written(source, STRING);
  }

  private static String written(String source, int group) {
    return WRITTEN
        .matcher(JOINED.matcher(source).replaceAll(""))
        .results()
        .map(match -> match.group(group))
        .filter(text -> text != null && (group == COMMENT || SENTENCE.matcher(text).find()))
        .collect(Collectors.joining("\n"));
  }

  private static Stream<String> found(Path file, String text) {
    String read = CODE.matcher(text).replaceAll(" ").replaceAll("\\s+", " ");
    return WORDS.stream()
        .flatMap(word -> word.matcher(read).results())
        .map(match ->
            file.getFileName()
                + ": ..."
                + read.substring(
                    Math.max(0, match.start() - 40), Math.min(read.length(), match.end() + 20)));
  }
}
