package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.DeadLetters.Action;
import dev.flyball.ops.console.operate.DeadLetters.Page;
import dev.flyball.ops.console.operate.DeadLetters.Returned;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which dead letters can come back, and why the others cannot. */
final class DeadLettersTest {
  private static final String WORK_ITEMS = "flyball.work-items";
  private static final String ANALYSES = "flyball.analyses";
  private static final By BY = new By("ann", "fixed");

  private final List<Integer> sizes = new ArrayList<>();
  private final List<Integer> progress = new ArrayList<>();

  @Test
  void theNewestSnapshotOfEachItemComesBack() {
    Page page = page(Action.REQUEUE);
    page.read("a/b/1", letter(WORK_ITEMS, 7, snapshot("old")));
    page.read("a/b/1", letter(WORK_ITEMS, 9, snapshot("new")));
    page.read("a/b/1", letter(WORK_ITEMS, 11, "{broken"));

    assertThat(commands(page))
        .singleElement()
        .isInstanceOfSatisfying(
            Command.Requeue.class,
            it -> {
              assertThat(it.snapshot().title()).isEqualTo("new");
              assertThat(it.from()).isEqualTo(new Position(3, 9));
            });
    assertThat(page.stay()).isEmpty();
  }

  @Test
  void whatCannotComeBackSaysWhy() {
    Page page = page(Action.REQUEUE);
    page.read("a/b/1", letter("flyball.session-events", 7, snapshot("x")));
    page.read("a/b/2", letter(WORK_ITEMS, 7, "{broken"));
    page.read("items.jsonl", letter(WORK_ITEMS, 7, snapshot("x")));
    page.read("a/b/3", letter(WORK_ITEMS, 7, null));
    page.read(null, letter(WORK_ITEMS, 7, snapshot("x")));

    assertThat(page.selected()).isEmpty();
    assertThat(page.stay()).containsOnlyKeys("a/b/1", "a/b/2", "items.jsonl", "a/b/3");
    assertThat(page.stay().get("a/b/1")).contains("flyball.session-events");
    assertThat(page.stay().get("a/b/2")).isNotBlank().doesNotContain("session-events");
  }

  @Test
  void onlyTheWantedItemIfOneIsNamedByKeyOrId() {
    for (String wanted : List.of("a/b/1", "1")) {
      Page page = page(Action.REQUEUE, "z", wanted);
      page.read("a/b/1", letter(WORK_ITEMS, 7, snapshot("x")));
      page.read("a/b/11", letter(WORK_ITEMS, 8, snapshot("y")));
      assertThat(page.selected()).containsOnlyKeys("a/b/1");
    }
  }

  @Test
  void aKeyNeverSelectsAnotherTenantsItemWhoseIdEndsWithIt() {
    Page page = page(Action.REQUEUE, "a/b/1");
    page.read("other/x/a/b/1", letter(WORK_ITEMS, 7, snapshot("x")));
    page.read("other/x/a/b/1", letter(ANALYSES, 8, snapshot("x")));

    assertThat(page.selected()).isEmpty();
    assertThat(page.stay()).isEmpty();
  }

  @Test
  void everyItemOf2500ComesBackInPagesOnce() {
    Returned outcome = requeue(ItemAction.MOST, Effect.SENT, DeadLettersTest::letters);

    assertThat(sizes).containsExactly(1_000, 1_000, 500);
    assertThat(progress).containsExactly(1_000, 2_000);
    assertThat(outcome.results()).extracting(Outcome::what).hasSize(2_500).doesNotHaveDuplicates();
    assertThat(outcome.stay()).isEmpty();
    assertThat(outcome.leftOut()).isZero();
  }

  @Test
  void thePagesEndWhereKafkaTakesNoCommandsAndSomethingIsLeftOut() {
    Returned outcome = requeue(10, Effect.UNWRITTEN, DeadLettersTest::letters);

    assertThat(sizes).containsExactly(10);
    assertThat(outcome.leftOut()).isPositive();
  }

  @Test
  void aLetterThatCannotBeReadIsLeftOutOneOfAnotherTopicIsNot() {
    Returned outcome =
        requeue(
            10,
            Effect.SENT,
            page -> {
              page.read("a/b/1", letter(WORK_ITEMS, 7, "{broken"));
              page.read("a/b/2", letter(ANALYSES, 7, snapshot("x")));
              page.read("a/b/3", letter(WORK_ITEMS, 7, "{broken"));
              page.read("a/b/3", letter(WORK_ITEMS, 8, snapshot("x")));
            });

    assertThat(outcome.leftOut()).isOne();
    assertThat(outcome.stay()).containsOnlyKeys("a/b/1", "a/b/2");
  }

  @Test
  void ofEachItemTheNewestAnalysisIsDeliveredAgain() {
    Page page = page(Action.REDELIVER);
    page.read("a/b/1", letter(ANALYSES, 7, analysis("s-2", 60)));
    page.read("a/b/1", letter(ANALYSES, 8, analysis("s-1", 0)));
    page.read("a/b/2", letter(WORK_ITEMS, 7, snapshot("x")));
    page.read("a/b/3", letter(ANALYSES, 7, "{broken"));
    page.read("a/b/4", letter(ANALYSES, 7, "x".repeat(DeadLetter.MAX_VALUE)));

    assertThat(commands(page))
        .singleElement()
        .isInstanceOfSatisfying(
            Command.Redeliver.class, it -> assertThat(it.analysis().session()).isEqualTo("s-2"));
    assertThat(page.stay()).containsOnlyKeys("a/b/2", "a/b/3", "a/b/4");
  }

  private Returned requeue(int most, Effect effect, Consumer<Page> letters) {
    return new DeadLetters(Action.REQUEUE, Topics.DEFAULT, List.of(), most)
        .bringBack(
            letters,
            BY,
            commands -> {
              sizes.add(commands.size());
              return commands.entrySet().stream()
                  .map(it -> Outcome.of(it.getValue(), effect, ""))
                  .toList();
            },
            progress::add);
  }

  private static void letters(Page page) {
    IntStream.range(0, 2_500)
        .forEach(n -> page.read("a/b/" + n, letter(WORK_ITEMS, n, snapshot("x"))));
  }

  private static Page page(Action action, String... wanted) {
    return new DeadLetters(action, Topics.DEFAULT, List.of(wanted)).new Page(Set.of());
  }

  private static List<Command> commands(Page page) {
    return page.selected().values().stream().map(it -> BY.command(it.making())).toList();
  }

  private static DeadLetter letter(String topic, long offset, @Nullable String value) {
    return new DeadLetter("why", topic, 3, offset, value, "triage", Instant.EPOCH);
  }

  private static String analysis(String session, long second) {
    return RecordJson.write(Sample.analysis("answer", session, "ledger:1"))
        .replaceAll("\"at\":\"[^\"]*\"", "\"at\":\"" + Instant.EPOCH.plusSeconds(second) + "\"");
  }

  private static String snapshot(String title) {
    return RecordJson.write(Sample.snapshot(title, "text"));
  }
}
