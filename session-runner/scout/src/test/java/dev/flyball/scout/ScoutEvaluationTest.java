package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Analysis.Passage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * How often scout names the right file: issues as people write them over the three small
 * repositories of examples/repositories, whose right places were decided before scout was asked.
 */
class ScoutEvaluationTest {
  private static final Path REPOSITORIES = Path.of("../../examples/repositories");

  /** The floors are a little below what was measured; a better ranking raises them. */
  private static final double FIRST = 0.65;

  private static final double FIRST_THREE = 0.90;

  /** How often the first passage of a right file has a right line, and begins near one. */
  private static final double LINE_INSIDE = 0.60;

  private static final double LINE_NEAR = 0.45;

  /**
   * An issue, and the files that its fix would touch; none if nothing in the repository fits.
   *
   * @param lines of the first file, where the fix belongs; null if that was not decided
   */
  private record Issue(
      String repository,
      String title,
      String text,
      List<String> files,
      @Nullable List<Integer> lines) {}

  /** How many issues were asked, and for how many a right file was among the first 1, 3 and 5. */
  private static final class Hits {
    private int asked;
    private final int[] within = new int[3];

    void add(int place) {
      asked++;
      for (int i = 0; i < within.length; i++) {
        within[i] += place <= 2 * i ? 1 : 0;
      }
    }

    double rate(int i) {
      return (double) within[i] / asked;
    }

    String line(String name) {
      return String.format(
          Locale.ROOT,
          "%-8s %2d issues: right at 1 %.0f %%, at 3 %.0f %%, at 5 %.0f %%",
          name,
          asked,
          100 * rate(0),
          100 * rate(1),
          100 * rate(2));
    }
  }

  @Test
  void theRightFileIsAmongTheFirst() throws IOException {
    var all = new Hits();
    var each = new LinkedHashMap<String, Hits>();
    var unfit = new ArrayList<String>();
    int unfitSaid = 0;
    for (Issue issue : issues()) {
      ScoutAnswer answer = answer(issue);
      if (issue.files().isEmpty()) {
        unfit.add(issue.title());
        unfitSaid += answer.confidence() == ScoutAnswer.Confidence.LOW ? 1 : 0;
        continue;
      }
      int place = place(issue, answer);
      all.add(place);
      each.computeIfAbsent(issue.repository(), _ -> new Hits()).add(place);
    }

    each.forEach((name, hits) -> System.out.println(hits.line(name)));
    System.out.println(all.line("all"));
    System.out.printf("nothing fits: said of %d of %d%n", unfitSaid, unfit.size());
    assertThat(all.asked).isGreaterThanOrEqualTo(40);
    assertThat(all.rate(0)).isGreaterThanOrEqualTo(FIRST);
    assertThat(all.rate(1)).isGreaterThanOrEqualTo(FIRST_THREE);
  }

  @Test
  void ofTheExampleBacklogThreeInFourFirstPlacesAreRight() throws IOException {
    Map<String, String> places = backlogPlaces();
    var right = new Hits();
    for (String line : Files.readAllLines(REPOSITORIES.resolveSibling("backlog.jsonl"))) {
      JsonNode item = RecordJson.parse(line);
      String file = places.get(item.path("id").asText());
      if (file != null) {
        String text = item.path("description").asText();
        var issue = new Issue("shop", item.path("title").asText(), text, List.of(file), null);
        right.add(place(issue, answer(issue)));
      }
    }

    System.out.println(right.line("backlog"));
    assertThat(right.asked).isEqualTo(places.size());
    assertThat(right.rate(0)).isGreaterThanOrEqualTo(0.75);
  }

  @Test
  void aPassageBeginsNearTheRightLine() throws IOException {
    int asked = 0;
    int inside = 0;
    int near = 0;
    for (Issue issue : issues()) {
      List<Integer> right = issue.lines();
      Optional<Passage> first =
          answer(issue).files().stream()
              .filter(it -> issue.files().indexOf(it.path()) == 0)
              .findFirst();
      if (right != null && first.isPresent()) {
        Passage passage = first.get();
        asked++;
        inside +=
            right.stream().anyMatch(it -> passage.fromLine() <= it && it <= passage.toLine())
                ? 1
                : 0;
        near += right.stream().anyMatch(it -> Math.abs(passage.fromLine() - it) <= 3) ? 1 : 0;
      }
    }

    System.out.printf("lines: of %d, %d inside, %d begin near%n", asked, inside, near);
    assertThat(asked).isGreaterThanOrEqualTo(30);
    assertThat((double) inside / asked).isGreaterThanOrEqualTo(LINE_INSIDE);
    assertThat((double) near / asked).isGreaterThanOrEqualTo(LINE_NEAR);
  }

  private static ScoutAnswer answer(Issue issue) throws IOException {
    var input = new ScoutInput("a/b/1", issue.title(), issue.text(), List.of(), List.of());
    return new Scout(REPOSITORIES.resolve(issue.repository()), List.of(), () -> false)
        .answer(input, false);
  }

  /** How many files are named before the first that is right. */
  private static int place(Issue issue, ScoutAnswer answer) {
    List<String> places =
        answer.places().stream().map(place -> place.split("[:\n]", 2)[0]).toList();
    return IntStream.range(0, places.size())
        .filter(i -> issue.files().contains(places.get(i)))
        .findFirst()
        .orElse(Integer.MAX_VALUE);
  }

  /**
   * The right places of those items of examples/backlog.jsonl that deserve an agent, by id; .ci/run
   * reads them too.
   */
  private static Map<String, String> backlogPlaces() throws IOException {
    return Files.readAllLines(Path.of("src/test/resources/scout/backlog.tsv")).stream()
        .map(line -> line.split("\t", 2))
        .collect(Collectors.toMap(row -> row[0], row -> row[1]));
  }

  private static List<Issue> issues() throws IOException {
    return Files.readAllLines(Path.of("src/test/resources/scout/evaluation.jsonl")).stream()
        .map(line -> RecordJson.read(line, Issue.class))
        .toList();
  }
}
