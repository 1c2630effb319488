package dev.flyball.producer.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-4: who takes a source over knows from the topic what was published")
class PublishedTest {
  private static final ItemKey A = new ItemKey("acme", "web", "a");
  private static final Snapshots SNAPSHOTS =
      new Snapshots(1024, List.of("title"), SourceRules.DEFAULT);

  @Test
  void ofATrackerTheNewestCounts() {
    var published = published("a1", "a2", "a3");

    assertThat(published.newest().get(A))
        .extracting(Known::digests)
        .isEqualTo(List.of(item("a3").digest()));
    assertThat(changes(published.newest(), "a3")).isEmpty();
    assertThat(changes(published.newest(), "a4")).containsExactly("a4");
  }

  @Test
  void ofAFileTheLinesUpToTheNewestCount() {
    assertThat(changesOfFile(published("a1", "a2"), "a1", "a2")).isEmpty();
    assertThat(changesOfFile(published("a1", "a2"), "a1", "a2", "a3")).containsExactly("a3");
    assertThat(changesOfFile(published("a1", "a2"), "a2")).as("edited in place").isEmpty();
    assertThat(changesOfFile(published("a1", "a2"), "a1", "a3")).containsExactly("a3");
    assertThat(changesOfFile(published("a1", "a2"), "a1")).as("taken back").containsExactly("a1");
    assertThat(changesOfFile(published("a2"), "a1", "a2")).as("the first is not kept").isEmpty();
    assertThat(changesOfFile(published("a1"), "a5", "a6")).containsExactly("a5", "a6");
    assertThat(changesOfFile(published("a1", "a2"), "a2", "a1"))
        .as("what follows the newest is new, also as it was before")
        .containsExactly("a1");
    assertThat(changesOfFile(published("a1", "a1", "a2"), "a1", "a1", "a2")).isEmpty();
  }

  @Test
  @DisplayName(
      "with a copy lost before any poll of a file, every poll publishes what it would have")
  void aLostCopyChangesNothing() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      var published = new Published();
      Map<ItemKey, Known> copy = new HashMap<>();
      var lines = new ArrayList<String>();
      int counter = 0;
      for (int poll = 0; poll < 6; poll++) {
        if (random.nextBoolean() || lines.isEmpty()) {
          lines.add("a" + counter++);
        } else {
          lines.set(lines.size() - 1, "a" + counter++);
        }
        var items = lines.stream().map(PublishedTest::item).toList();
        ChangePlan kept = ChangePlan.of(items, copy, SNAPSHOTS);
        ChangePlan lost = ChangePlan.of(items, published.within(items), SNAPSHOTS);
        assertThat(titles(lost)).as("seed %d", seed).isEqualTo(titles(kept));
        kept.publications()
            .forEach(p -> published.add(A, p.item().digest(), SNAPSHOTS.version(), null));
        copy.putAll(kept.known());
      }
    }
  }

  private static List<String> changesOfFile(Published published, String... titles) {
    var items = List.of(titles).stream().map(PublishedTest::item).toList();
    return changes(published.within(items), titles);
  }

  private static List<String> changes(Map<ItemKey, Known> known, String... titles) {
    var items = List.of(titles).stream().map(PublishedTest::item).toList();
    return titles(ChangePlan.of(items, known, SNAPSHOTS));
  }

  private static List<String> titles(ChangePlan plan) {
    return plan.publications().stream().map(p -> p.item().title()).toList();
  }

  private static Published published(String... titles) {
    var published = new Published();
    for (String title : titles) {
      published.add(A, item(title).digest(), SNAPSHOTS.version(), null);
    }
    return published;
  }

  private static RawItem item(String title) {
    return RawItem.of(A, title).build();
  }
}
