package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which dead letters can come back, and why the others cannot. */
final class RequeueSelectionTest {
  private static final String WORK_ITEMS = "flyball.work-items";

  private final RequeueSelection all = new RequeueSelection(WORK_ITEMS, null, 2);

  @Test
  void theNewestSnapshotOfEachItemComesBack() {
    all.read(letter("a/b/1", WORK_ITEMS, 7, snapshot("old")));
    all.read(letter("a/b/1", WORK_ITEMS, 9, snapshot("new")));
    all.read(letter("a/b/1", WORK_ITEMS, 11, "{broken"));
    assertThat(all.back())
        .containsOnlyKeys(ItemKey.parse("a/b/1"))
        .extractingByKey(ItemKey.parse("a/b/1"))
        .satisfies(back -> {
          assertThat(back.snapshot().title()).isEqualTo("new");
          assertThat(back.from()).isEqualTo(new ItemState.Position(3, 9));
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
    assertThat(all.back()).isEmpty();
    assertThat(all.stay()).containsOnlyKeys("a/b/1", "a/b/2", "items.jsonl", "a/b/3");
    assertThat(all.stay().get("a/b/1")).contains("only records of work-items");
    assertThat(all.stay().get("a/b/2")).startsWith("its snapshot cannot be read");
  }

  @Test
  void onlyTheWantedItemIfOneIsNamedByKeyOrId() {
    for (String wanted : List.of("a/b/1", "1")) {
      var one = new RequeueSelection(WORK_ITEMS, wanted, 2);
      one.read(letter("a/b/1", WORK_ITEMS, 7, snapshot("x")));
      one.read(letter("a/b/11", WORK_ITEMS, 8, snapshot("y")));
      assertThat(one.back()).containsOnlyKeys(ItemKey.parse("a/b/1"));
    }
  }

  @Test
  void notMoreItemsComeBackAtOnceThanTheLimit() {
    for (int n = 1; n <= 4; n++) {
      all.read(letter("a/b/" + n, WORK_ITEMS, n, snapshot("x")));
    }
    assertThat(all.back()).hasSize(2);
  }

  private static Letter letter(
      @Nullable String key, String topic, long offset, @Nullable String value) {
    return new Letter(key, new DeadLetter("why", topic, 3, offset, value, "triage", Instant.EPOCH));
  }

  private static String snapshot(String title) {
    return RecordJson.write(
        new Snapshot(
            "1",
            title,
            "text",
            "Active",
            false,
            "Bug",
            2,
            List.of(),
            null,
            null,
            null,
            true,
            new Fingerprint("1:title", "ab")));
  }
}
