package dev.flyball.program.trial;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.program.trial.Trial.LikelyDuplicates;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.RulesClassifier.Why;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What a trial makes of a list of issues")
class TrialTest {
  private static final String LONG =
      " which is what we see on the machine of the office after the update of last week, at"
          + " least in the morning";

  private final Map<ItemKey, Snapshot> items = new LinkedHashMap<>();

  @Test
  void whatDeservesAnAgentComesInTheOrderInWhichItWouldStart() {
    item("1", "Search fails", "Search.find() throws an exception in src/Search.java." + LONG);
    item(
        "2",
        "Search hangs",
        "Steps: open it. Expected: a list. Search.find() hangs.\n"
            + "at app.Search.find(Search.java:10)\nsrc/Search.java"
            + LONG.repeat(3));

    assertThat(Trial.of(items).worth())
        .extracting(each -> each.key().id())
        .containsExactly("2", "1");
    assertThat(Trial.of(items).others()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Fix a typo, SHORT, TRIVIAL",
    "Help, please help, SHORT",
    "Colours, would be nice in green, WISH",
    "Colours, maybe they could be nicer somehow, VAGUE",
    "Colours, they are wrong, NO_DEFECT",
    "Colours, expected green, TOO_LITTLE"
  })
  void whyAnItemDeservesNoAgent(String title, String text, Why why) {
    item("1", title, why == Why.SHORT ? text : text + LONG);

    assertThat(Trial.of(items).others()).containsOnlyKeys(why);
  }

  @Test
  @DisplayName("two reports of one fault look alike, whatever else the list is about")
  void duplicates() {
    item("1", "Login page shows a blank screen on Safari", "After the update Safari is blank.");
    item("2", "Export to CSV drops the last column", "The last column of the report is missing.");
    item("3", "Safari: login page is a blank screen", "Blank after the last update.");
    for (int i = 4; i < 40; i++) {
      item(Integer.toString(i), "Part " + i + " of plan" + i, "word" + i + " other" + i);
    }

    Trial trial = Trial.of(items);

    assertThat(trial.alike())
        .singleElement()
        .satisfies(group ->
            assertThat(group).extracting(each -> each.key().id()).containsExactly("1", "3"));
    assertThat(trial.lookAlike()).isEqualTo(2);
  }

  /** Of alike.tsv, whose lines are: the reports of one fault have one number, title, text. */
  @Test
  @DisplayName("most reports of one fault in other words look alike, and nearly no others")
  void inOtherWords() throws IOException {
    List<String[]> reports =
        Files.readAllLines(Path.of("src/test/resources/trial/alike.tsv")).stream()
            .map(line -> line.split("\t", -1))
            .toList();
    List<Snapshot> read = reports.stream().map(it -> Sample.snapshot(it[1], it[2])).toList();
    Map<Boolean, Long> found =
        LikelyDuplicates.among(read).stream()
            .collect(
                Collectors.partitioningBy(
                    it -> sameFault(reports.get(it.first()), reports.get(it.second())),
                    Collectors.counting()));
    long pairs =
        reports.stream()
                .mapToLong(it -> reports.stream().filter(other -> sameFault(it, other)).count() - 1)
                .filter(others -> others > 0)
                .sum()
            / 2;

    System.out.println("alike: " + found + " of " + pairs + " pairs of reports of one fault");
    assertThat(pairs).isGreaterThanOrEqualTo(12);
    assertThat(found.get(true)).isGreaterThanOrEqualTo(pairs * 4 / 5);
    assertThat(found.get(false)).isLessThanOrEqualTo(3);
  }

  private static boolean sameFault(String[] one, String[] other) {
    return !one[0].isEmpty() && one[0].equals(other[0]);
  }

  @Test
  void itemsOfTheSameFewWordsAreNotCompared() {
    item("1", "Bug", "");
    item("2", "Bug", "");

    assertThat(Trial.of(items).alike()).isEmpty();
  }

  private void item(String id, String title, String text) {
    items.put(ItemKey.parse("acme/web/" + id), Sample.snapshot("Issue", title, text, List.of()));
  }
}
