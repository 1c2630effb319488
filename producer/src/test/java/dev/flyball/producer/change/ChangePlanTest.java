package dev.flyball.producer.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.source.Markup;
import dev.flyball.producer.source.RawItem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("MC-4: only what changed is published")
class ChangePlanTest {
  private static final String V1 = "1:text,title";

  @Test
  void everySnapshotOfANewItemIsPublishedAndOnlyTheLastIsNewest() {
    ChangePlan plan = ChangePlan.of(items("a1", "b1", "a2"), Map.of(), V1);

    assertThat(publications(plan)).containsExactly("a1 old new", "b1 newest new", "a2 newest new");
    assertThat(plan.duplicates()).isZero();
  }

  @Test
  void anUnchangedSourcePublishesNothing() {
    var items = items("a1", "b1", "a2");

    ChangePlan plan = ChangePlan.of(items, ChangePlan.learn(items, V1), V1);

    assertThat(plan.publications()).isEmpty();
    assertThat(plan.duplicates()).isEqualTo(3);
  }

  @Test
  void onlyLinesBehindTheKnownOnesArePublished() {
    var known = ChangePlan.learn(items("a1", "b1"), V1);

    ChangePlan plan = ChangePlan.of(items("a1", "b1", "a2", "a3"), known, V1);

    assertThat(publications(plan)).containsExactly("a2 old changed", "a3 newest changed");
    assertThat(plan.duplicates()).isEqualTo(2);
  }

  @Test
  void anEditInPlaceIsPublished() {
    ChangePlan plan = ChangePlan.of(items("a1", "a9"), ChangePlan.learn(items("a1", "a2"), V1), V1);

    assertThat(publications(plan)).containsExactly("a9 newest changed");
  }

  @Test
  void aSnapshotTakenBackIsPublishedAsItIsNow() {
    ChangePlan plan = ChangePlan.of(items("a1"), ChangePlan.learn(items("a1", "a2"), V1), V1);

    assertThat(publications(plan)).containsExactly("a1 newest changed");
  }

  @Test
  void theSameLineTwiceInARowIsADuplicate() {
    ChangePlan plan = ChangePlan.of(items("a1", "a1", "a1"), Map.of(), V1);

    assertThat(publications(plan)).containsExactly("a1 newest new");
    assertThat(plan.duplicates()).isEqualTo(2);
  }

  @Test
  void anItemThatComesBackToAnOldTextIsNoDuplicate() {
    ChangePlan plan = ChangePlan.of(items("a1", "a2", "a1"), Map.of(), V1);

    assertThat(publications(plan)).containsExactly("a1 old new", "a2 old new", "a1 newest new");
  }

  @Test
  @DisplayName("section 4: a new fingerprint version republishes the newest snapshot alone")
  void anotherFingerprintVersionPublishesTheNewestAgain() {
    var items = items("a1", "a2");

    ChangePlan plan = ChangePlan.of(items, ChangePlan.learn(items, "0:text"), V1);

    assertThat(publications(plan)).containsExactly("a2 newest fingerprint version");
  }

  @Test
  void everyEndOfEveryEditIsPublishedAsNewestExactlyIfItDiffers() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    Map<ItemKey, Known> known = new HashMap<>();
    var told = new HashMap<ItemKey, String>();
    for (int poll = 0; poll < 2_000; poll++) {
      var lines =
          IntStream.range(0, random.nextInt(8))
              .mapToObj(i -> "abc".charAt(random.nextInt(3)) + "" + random.nextInt(3))
              .toArray(String[]::new);
      var items = items(lines);
      ChangePlan plan = ChangePlan.of(items, known, V1);

      var newest = new HashMap<ItemKey, String>();
      items.forEach(item -> newest.put(item.key(), item.title()));
      var changed = new HashMap<ItemKey, String>();
      plan.publications().stream()
          .filter(ChangePlan.Publication::newest)
          .forEach(p -> changed.put(p.item().key(), p.item().title()));
      assertThat(plan.publications().stream().filter(ChangePlan.Publication::newest).count())
          .isEqualTo(changed.size());
      newest.forEach((key, title) -> {
        if (!title.equals(told.get(key))) {
          assertThat(changed).as("seed %d poll", seed).containsEntry(key, title);
        }
      });
      told.putAll(changed);
      assertThat(told).as("seed %d", seed).containsAllEntriesOf(newest);
      known.putAll(plan.known());
    }
  }

  private static List<String> publications(ChangePlan plan) {
    return plan.publications().stream()
        .map(p -> p.item().title() + (p.newest() ? " newest " : " old ") + p.reason().label())
        .toList();
  }

  private static List<RawItem> items(String... titles) {
    return IntStream.range(0, titles.length).mapToObj(i -> item(titles[i], i + 1)).toList();
  }

  private static RawItem item(String title, long at) {
    var key = new ItemKey("default", "items", title.substring(0, 1));
    return new RawItem(
        key, title, "", "", "", 3, List.of(), null, "0", null, null, Markup.HTML, true, false, at);
  }
}
