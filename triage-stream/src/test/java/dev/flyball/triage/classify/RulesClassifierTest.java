package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Snapshot;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.RulesClassifier.TriageRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RulesClassifierTest {

  @Test
  void aPreciseBugDeservesASession() {
    Judgement j =
        judge(
            item(
                "NullPointerException in LedgerReader",
                "Steps: start, stop.\n"
                    + "at dev.flyball.kafka.LedgerReader.poll(LedgerReader.java:42)\n"
                    + "See kafka-edge/src/main/java/LedgerReader.java and"
                    + " https://example.org/a/b-c/d",
                "Bug"));
    assertThat(j.needsDeepAnalysis()).isTrue();
    assertThat(j.complexity()).isGreaterThanOrEqualTo(4);
    assertThat(j.modules())
        .contains("kafka-edge/src/main/java/LedgerReader.java")
        .noneMatch(m -> m.contains("b-c"));
    assertThat(j.priority()).isEqualTo(1);
  }

  // S0-36
  @Test
  void vagueTrivialAndMarkedItemsDoNot() {
    assertThat(judge(item("Improve things", "", "Task")).needsDeepAnalysis()).isFalse();
    assertThat(
            judge(item("Fix typo in the greeting of the start page", "", "Bug"))
                .needsDeepAnalysis())
        .isFalse();
    assertThat(judge(item("Crash in Foo.bar()", "it fails", "Bug", "wontfix")).needsDeepAnalysis())
        .isFalse();
  }

  @Test
  void anOrdinaryDescribedItemDoesNotUnlessItIsTaggedAsWanted() {
    String text = "The results page shows the newest item twice when the filter is changed.";
    assertThat(judge(item("Search", text, "Bug")).needsDeepAnalysis()).isFalse();
    assertThat(judge(item("Search", text, "Bug", "needs-analysis")).needsDeepAnalysis()).isTrue();
    assertThat(judge(item("Typo?", "", "Task", "needs-analysis")).needsDeepAnalysis())
        .as("whatever else it is")
        .isTrue();
    assertThat(judge(item("Search", text, "Bug", "needs-analysis", "wontfix")).needsDeepAnalysis())
        .as("an unwanted tag outweighs every other sign")
        .isFalse();
  }

  @Test
  void aTextThatRepeatsSignsGainsNothing() {
    String once = "It fails with an error. Expected: no error.";
    assertThat(judge(item("Search", once.repeat(500), "Bug")).needsDeepAnalysis()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0, 4", "1, 4", "2, 2"})
  void theMostUrgentPrioritiesCount(int priority, int points) {
    Snapshot item = Sample.with(item("Search", "", "Bug"), Map.of("priority", priority));

    assertThat(judge(item).reason()).contains("(" + points + " of 7 points");
  }

  @ParameterizedTest
  @CsvSource({"bug, true", "kind/bug, true", "Type: Regression, true", "debug, false"})
  void aLabelSaysThatAnItemIsADefect(String label, boolean defect) {
    assertThat(TriageRule.in(item("Search", "", "Issue", label)).contains(TriageRule.DEFECT))
        .isEqualTo(defect);
  }

  @Test
  void whatATemplateAsksForSaysNothing() {
    String unfilled =
        "**Describe the bug**\nA clear and concise description of what the bug is.\n\n"
            + "**To Reproduce**\nSteps to reproduce the behavior:\n1. Go to '...'\n2. See error\n\n"
            + "**Expected behavior**\n";
    assertThat(TriageRule.in(item("[BUG]", unfilled, "Bug")))
        .contains(TriageRule.SHORT)
        .doesNotContain(TriageRule.REPRODUCTION);
    assertThat(TriageRule.in(item("[BUG]", unfilled + "A list.", "Bug")))
        .contains(TriageRule.REPRODUCTION);
  }

  @Test
  void aWishIsNoneIfItsTagSaysThatItIsADefect() {
    assertThat(TriageRule.in(item("Add to cart adds two", "", "Issue"))).contains(TriageRule.WISH);
    assertThat(TriageRule.in(item("Add to cart adds two", "", "Issue", "bug")))
        .doesNotContain(TriageRule.WISH);
  }

  @Test
  void theSameItemIsAlwaysJudgedTheSame() {
    Snapshot item = item("Crash in fooBar", "text", "Bug");
    assertThat(judge(item)).isEqualTo(judge(item));
  }

  @Test
  @Timeout(10)
  void hostileTextsAreReadQuickly() {
    for (String part :
        new String[] {
          "a", "deadbeef0", "a/", "a_", "aB", "at a.", "x.", "((((", "\u202e\ud83d\ude00 "
        }) {
      judge(item("t", part.repeat(64 * 1024 / part.length()), "Bug"));
    }
  }

  @Test
  void theDocumentedTableIsTheCodes() throws IOException {
    String table =
        Arrays.stream(RulesClassifier.TriageRule.values())
            .map(s -> String.format(Locale.ROOT, "| %s | %+d | %s |", s, s.points(), s.meaning()))
            .collect(Collectors.joining("\n"));
    Path page = Path.of("..", "docs", "triage.md");
    assertThat(Files.readString(page)).contains(table);
  }

  private static Judgement judge(Snapshot snapshot) {
    return RulesClassifier.judge("x", snapshot);
  }

  private static Snapshot item(String title, String text, String type, String... tags) {
    return Sample.snapshot(type, title, text, List.of(tags));
  }
}
