package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.CommandResult.Written;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import dev.flyball.ops.console.operate.DeadLetterSelection.Back;
import dev.flyball.ops.console.operate.DeadLetterSelection.Page;
import dev.flyball.ops.console.operate.DeadLetterSelection.Selected;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which dead letters can come back, and why the others cannot. */
final class DeadLetterSelectionTest {
  private static final String WORK_ITEMS = "flyball.work-items";

  private static final String ANALYSES = "flyball.analyses";

  private static final Page FIRST = new Page(2, Set.of());

  private final DeadLetterSelection<Back> all =
      DeadLetterSelection.snapshots(Topics.DEFAULT, List.of(), FIRST);

  @Test
  void theNewestSnapshotOfEachItemComesBack() {
    all.read(letter("a/b/1", WORK_ITEMS, 7, snapshot("old")));
    all.read(letter("a/b/1", WORK_ITEMS, 9, snapshot("new")));
    all.read(letter("a/b/1", WORK_ITEMS, 11, "{broken"));
    assertThat(all.selected())
        .singleElement()
        .satisfies(each -> {
          assertThat(each.item()).isEqualTo(ItemKey.parse("a/b/1"));
          assertThat(each.content().snapshot().title()).isEqualTo("new");
          assertThat(each.content().from()).isEqualTo(new Position(3, 9));
        });
    assertThat(all.stay()).isEmpty();
  }

  @Test
  void whatCannotComeBackSaysWhy() {
    all.read(letter("a/b/1", "flyball.session-events", 7, snapshot("x")));
    all.read(letter("a/b/2", WORK_ITEMS, 7, "{broken"));
    all.read(letter("items.jsonl", WORK_ITEMS, 7, snapshot("x")));
    all.read(letter("a/b/3", WORK_ITEMS, 7, null));
    all.read(letter(null, WORK_ITEMS, 7, snapshot("x")));
    assertThat(all.selected()).isEmpty();
    assertThat(all.stay()).containsOnlyKeys("a/b/1", "a/b/2", "items.jsonl", "a/b/3");
    assertThat(all.stay().get("a/b/1")).contains("flyball.session-events");
    assertThat(all.stay().get("a/b/2")).isNotBlank().doesNotContain("session-events");
  }

  @Test
  void onlyTheWantedItemIfOneIsNamedByKeyOrId() {
    for (String wanted : List.of("a/b/1", "1")) {
      var one = DeadLetterSelection.snapshots(Topics.DEFAULT, List.of("z", wanted), FIRST);
      one.read(letter("a/b/1", WORK_ITEMS, 7, snapshot("x")));
      one.read(letter("a/b/11", WORK_ITEMS, 8, snapshot("y")));
      assertThat(one.selected()).extracting(Selected::item).containsExactly(ItemKey.parse("a/b/1"));
    }
  }

  @Test
  void aKeyNeverSelectsAnotherTenantsItemWhoseIdEndsWithIt() {
    var one = DeadLetterSelection.snapshots(Topics.DEFAULT, List.of("a/b/1"), FIRST);
    one.read(letter("other/x/a/b/1", WORK_ITEMS, 7, snapshot("x")));
    one.read(letter("other/x/a/b/1", ANALYSES, 8, snapshot("x")));

    assertThat(one.selected()).isEmpty();
    assertThat(one.stay()).isEmpty();
  }

  @Test
  void everyItemOf2500ComesBackInPagesOnce() {
    List<Letter> letters = letters(2_500);
    var sizes = new ArrayList<Integer>();
    var progress = new ArrayList<Integer>();

    DeadLetterSelection.Outcome outcome = requeue(letters, 1_000, Written.YES, sizes, progress);

    assertThat(sizes).containsExactly(1_000, 1_000, 500);
    assertThat(progress).containsExactly(1_000, 2_000);
    assertThat(outcome.results())
        .extracting(each -> each.item().toString())
        .hasSize(2_500)
        .doesNotHaveDuplicates();
    assertThat(outcome.stay()).isEmpty();
    assertThat(outcome.leftOut()).isZero();
  }

  @Test
  void thePagesEndWhereKafkaTakesNoCommandsAndSomethingIsLeftOut() {
    var sizes = new ArrayList<Integer>();

    DeadLetterSelection.Outcome outcome =
        requeue(letters(30), 10, Written.NO, sizes, new ArrayList<>());

    assertThat(sizes).containsExactly(10);
    assertThat(outcome.leftOut()).isPositive();
  }

  @Test
  void aLetterThatCannotBeReadIsLeftOutOneOfAnotherTopicIsNot() {
    var letters =
        List.of(
            letter("a/b/1", WORK_ITEMS, 7, "{broken"),
            letter("a/b/2", ANALYSES, 7, snapshot("x")),
            letter("a/b/3", WORK_ITEMS, 7, "{broken"),
            letter("a/b/3", WORK_ITEMS, 8, snapshot("x")));

    DeadLetterSelection.Outcome outcome =
        requeue(letters, 10, Written.YES, new ArrayList<>(), new ArrayList<>());

    assertThat(outcome.leftOut()).isOne();
    assertThat(outcome.stay()).containsOnlyKeys("a/b/1", "a/b/2");
  }

  @Test
  void ofEachItemTheNewestAnalysisIsDeliveredAgain() {
    var analyses = DeadLetterSelection.analyses(Topics.DEFAULT, List.of(), new Page(9, Set.of()));
    analyses.read(letter("a/b/1", ANALYSES, 7, analysis("s-2", 60)));
    analyses.read(letter("a/b/1", ANALYSES, 8, analysis("s-1", 0)));
    analyses.read(letter("a/b/2", WORK_ITEMS, 7, snapshot("x")));
    analyses.read(letter("a/b/3", ANALYSES, 7, "{broken"));
    analyses.read(letter("a/b/4", ANALYSES, 7, "x".repeat(DeadLetter.MAX_VALUE)));
    assertThat(analyses.selected())
        .extracting(each -> each.content().session())
        .containsExactly("s-2");
    assertThat(analyses.stay()).containsOnlyKeys("a/b/2", "a/b/3", "a/b/4");
  }

  private static DeadLetterSelection.Outcome requeue(
      List<Letter> letters,
      int most,
      Written written,
      List<Integer> sizes,
      List<Integer> progress) {
    return DeadLetterSelection.<Back>all(
        most,
        page -> {
          var selection = DeadLetterSelection.snapshots(Topics.DEFAULT, List.of(), page);
          letters.forEach(selection::read);
          return selection;
        },
        back ->
            new Command.Requeue(
                UUID.randomUUID().toString(),
                "ann",
                Instant.EPOCH,
                "fixed",
                back.snapshot(),
                back.from()),
        commands -> {
          sizes.add(commands.size());
          return commands.entrySet().stream()
              .map(each ->
                  CommandResult.unsent(each.getValue(), each.getKey().id()).sent(written, ""))
              .toList();
        },
        progress::add);
  }

  private static List<Letter> letters(int count) {
    return IntStream.range(0, count)
        .mapToObj(n -> letter("a/b/" + n, WORK_ITEMS, n, snapshot("x")))
        .toList();
  }

  private static Letter letter(
      @Nullable String key, String topic, long offset, @Nullable String value) {
    return new Letter(key, new DeadLetter("why", topic, 3, offset, value, "triage", Instant.EPOCH));
  }

  private static String analysis(String session, long second) {
    return RecordJson.write(Sample.analysis("answer", session, "ledger:1"))
        .replaceAll("\"at\":\"[^\"]*\"", "\"at\":\"" + Instant.EPOCH.plusSeconds(second) + "\"");
  }

  private static String snapshot(String title) {
    return RecordJson.write(Sample.snapshot(title, "text"));
  }
}
