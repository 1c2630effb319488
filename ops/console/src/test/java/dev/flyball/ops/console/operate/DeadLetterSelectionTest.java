package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import dev.flyball.ops.console.operate.DeadLetterSelection.Back;
import dev.flyball.ops.console.operate.DeadLetterSelection.Selected;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which dead letters can come back, and why the others cannot. */
final class DeadLetterSelectionTest {
  private static final String WORK_ITEMS = "flyball.work-items";

  private static final String ANALYSES = "flyball.analyses";

  private final DeadLetterSelection<Back> all =
      DeadLetterSelection.snapshots(Topics.DEFAULT, List.of(), 2);

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
      var one = DeadLetterSelection.snapshots(Topics.DEFAULT, List.of("z", wanted), 2);
      one.read(letter("a/b/1", WORK_ITEMS, 7, snapshot("x")));
      one.read(letter("a/b/11", WORK_ITEMS, 8, snapshot("y")));
      assertThat(one.selected()).extracting(Selected::item).containsExactly(ItemKey.parse("a/b/1"));
    }
  }

  @Test
  void aKeyNeverSelectsAnotherTenantsItemWhoseIdEndsWithIt() {
    var one = DeadLetterSelection.snapshots(Topics.DEFAULT, List.of("a/b/1"), 2);
    one.read(letter("other/x/a/b/1", WORK_ITEMS, 7, snapshot("x")));
    one.read(letter("other/x/a/b/1", ANALYSES, 8, snapshot("x")));

    assertThat(one.selected()).isEmpty();
    assertThat(one.stay()).isEmpty();
  }

  @Test
  void notMoreItemsComeBackAtOnceThanTheLimit() {
    for (int n = 1; n <= 4; n++) {
      all.read(letter("a/b/" + n, WORK_ITEMS, n, snapshot("x")));
    }
    assertThat(all.selected()).hasSize(2);
    assertThat(all.stay()).containsOnlyKeys("a/b/3", "a/b/4");
  }

  @Test
  void eachSessionsAnalysisIsDeliveredAgainOnceAndInOrder() {
    var analyses = DeadLetterSelection.analyses(Topics.DEFAULT, List.of(), 9);
    analyses.read(letter("a/b/1", ANALYSES, 7, analysis("s-2")));
    analyses.read(letter("a/b/1", ANALYSES, 8, analysis("s-1")));
    analyses.read(letter("a/b/1", ANALYSES, 7, analysis("s-2")));
    analyses.read(letter("a/b/2", WORK_ITEMS, 7, snapshot("x")));
    analyses.read(letter("a/b/3", ANALYSES, 7, "{broken"));
    analyses.read(letter("a/b/4", ANALYSES, 7, "x".repeat(DeadLetter.MAX_VALUE)));
    assertThat(analyses.selected())
        .extracting(each -> each.content().session())
        .containsExactly("s-2", "s-1");
    assertThat(analyses.stay()).containsOnlyKeys("a/b/2", "a/b/3", "a/b/4");
  }

  private static Letter letter(
      @Nullable String key, String topic, long offset, @Nullable String value) {
    return new Letter(key, new DeadLetter("why", topic, 3, offset, value, "triage", Instant.EPOCH));
  }

  private static String analysis(String session) {
    return RecordJson.write(Sample.analysis("answer", session, "ledger:1"));
  }

  private static String snapshot(String title) {
    return RecordJson.write(Sample.snapshot(title, "text"));
  }
}
