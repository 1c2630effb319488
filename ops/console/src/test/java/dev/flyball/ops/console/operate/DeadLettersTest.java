package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.CommandSender.By;
import dev.flyball.ops.console.operate.DeadLetters.Action;
import dev.flyball.ops.console.operate.DeadLetters.Returned;
import dev.flyball.ops.console.operate.Outcome.Effect;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which dead letters can come back, and why the others cannot. */
final class DeadLettersTest {
  private static final String WORK_ITEMS = "flyball.work-items";
  private static final String ANALYSES = "flyball.analyses";

  private final Map<Command, String> sent = new LinkedHashMap<>();
  private final List<Integer> sizes = new ArrayList<>();
  private final List<Integer> progress = new ArrayList<>();

  @Test
  void theNewestSnapshotOfEachItemComesBack() {
    Returned back =
        requeue(
            List.of(),
            letters -> {
              letters.take("a/b/1", letter(WORK_ITEMS, 7, snapshot("old")));
              letters.take("a/b/1", letter(WORK_ITEMS, 9, snapshot("new")));
              letters.take("a/b/1", letter(WORK_ITEMS, 11, "{broken"));
            });

    assertThat(sent.keySet())
        .singleElement()
        .isInstanceOfSatisfying(
            Command.Requeue.class,
            it -> {
              assertThat(it.snapshot().title()).isEqualTo("new");
              assertThat(it.from()).isEqualTo(new Position(3, 9));
            });
    assertThat(back.stay()).isEmpty();
  }

  @Test
  void whatCannotComeBackSaysWhy() {
    Returned back =
        requeue(
            List.of(),
            letters -> {
              letters.take("a/b/1", letter("flyball.session-events", 7, snapshot("x")));
              letters.take("a/b/2", letter(WORK_ITEMS, 7, "{broken"));
              letters.take("items.jsonl", letter(WORK_ITEMS, 7, snapshot("x")));
              letters.take("a/b/3", letter(WORK_ITEMS, 7, null));
              letters.take(null, letter(WORK_ITEMS, 7, snapshot("x")));
            });

    assertThat(sent).isEmpty();
    assertThat(back.stay()).containsOnlyKeys("a/b/1", "a/b/2", "items.jsonl", "a/b/3");
    assertThat(back.stay().get("a/b/1")).contains("flyball.session-events");
    assertThat(back.stay().get("a/b/2")).isNotBlank().doesNotContain("session-events");
    assertThat(back.leftOut()).as("could have come back").isEqualTo(3);
  }

  @Test
  void onlyTheWantedItemIfOneIsNamedByKeyOrId() {
    for (String wanted : List.of("a/b/1", "1")) {
      sent.clear();
      requeue(
          List.of("z", wanted),
          letters -> {
            letters.take("a/b/1", letter(WORK_ITEMS, 7, snapshot("x")));
            letters.take("a/b/11", letter(WORK_ITEMS, 8, snapshot("y")));
          });
      assertThat(sent.values()).containsExactly("a/b/1");
    }
  }

  @Test
  void aKeyNeverSelectsAnotherTenantsItemWhoseIdEndsWithIt() {
    Returned back =
        requeue(
            List.of("a/b/1"),
            letters -> {
              letters.take("other/x/a/b/1", letter(WORK_ITEMS, 7, snapshot("x")));
              letters.take("other/x/a/b/1", letter(ANALYSES, 8, snapshot("x")));
            });

    assertThat(sent).isEmpty();
    assertThat(back.stay()).isEmpty();
  }

  @Test
  void everyItemOf2500ComesBackInPagesOnce() {
    Returned outcome =
        bringBack(Action.REQUEUE, List.of(), ItemAction.MOST, Effect.SENT, DeadLettersTest::many);

    assertThat(sizes).containsExactly(1_000, 1_000, 500);
    assertThat(progress).containsExactly(1_000, 2_000);
    assertThat(outcome.results()).extracting(Outcome::what).hasSize(2_500).doesNotHaveDuplicates();
    assertThat(outcome.stay()).isEmpty();
    assertThat(outcome.leftOut()).isZero();
  }

  @Test
  void thePagesEndWhereKafkaTakesNoCommandsAndSomethingIsLeftOut() {
    Returned outcome =
        bringBack(Action.REQUEUE, List.of(), 10, Effect.UNWRITTEN, DeadLettersTest::many);

    assertThat(sizes).containsExactly(10);
    assertThat(outcome.leftOut()).isPositive();
  }

  @Test
  void ofEachItemTheNewestAnalysisIsDeliveredAgain() {
    Returned back =
        bringBack(
            Action.REDELIVER,
            List.of(),
            10,
            Effect.SENT,
            letters -> {
              letters.take("a/b/1", letter(ANALYSES, 7, analysis("s-2", 60)));
              letters.take("a/b/1", letter(ANALYSES, 8, analysis("s-1", 0)));
              letters.take("a/b/2", letter(WORK_ITEMS, 7, snapshot("x")));
              letters.take("a/b/3", letter(ANALYSES, 7, "{broken"));
              letters.take("a/b/4", letter(ANALYSES, 7, "x".repeat(DeadLetter.MAX_VALUE)));
            });

    assertThat(sent.keySet())
        .singleElement()
        .isInstanceOfSatisfying(
            Command.Redeliver.class, it -> assertThat(it.analysis().session()).isEqualTo("s-2"));
    assertThat(back.stay()).containsOnlyKeys("a/b/2", "a/b/3", "a/b/4");
  }

  private Returned requeue(List<String> wanted, Consumer<DeadLetters> taking) {
    return bringBack(Action.REQUEUE, wanted, 10, Effect.SENT, taking);
  }

  private Returned bringBack(
      Action action, List<String> wanted, int most, Effect effect, Consumer<DeadLetters> taking) {
    var letters = new DeadLetters(action, Topics.DEFAULT, wanted, most);
    return letters.bringBack(
        () -> taking.accept(letters),
        new By("ann", "fixed"),
        commands -> {
          sizes.add(commands.size());
          sent.putAll(commands);
          return commands.values().stream().map(it -> Outcome.of(it, effect, "")).toList();
        },
        progress::add);
  }

  private static void many(DeadLetters letters) {
    IntStream.range(0, 2_500)
        .forEach(n -> letters.take("a/b/" + n, letter(WORK_ITEMS, n, snapshot("x"))));
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
