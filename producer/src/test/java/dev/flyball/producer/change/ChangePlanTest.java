package dev.flyball.producer.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceRules;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("MC-4: only what changed is published")
class ChangePlanTest {
  private static final Snapshots SNAPSHOTS =
      new Snapshots(1024, List.of("text", "title"), SourceRules.DEFAULT);
  private static final String VERSION = SNAPSHOTS.version();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''       | a1 b1 a2    | a1 old new, b1 newest new, a2 newest new | 0
          a1 b1 a2 | a1 b1 a2    | ''                                       | 3
          a1 b1    | a1 b1 a2 a3 | a2 old changed, a3 newest changed        | 2
          a1 a2    | a2          | ''                                       | 1
          a1 a2    | a1 a9       | a9 newest changed                        | 1
          a1 a2    | a1          | a1 newest changed                        | 0
          a1 a2 a3 | a8 a9       | a8 old changed, a9 newest changed        | 0
          ''       | a1 a1 a1    | a1 newest new                            | 2
          ''       | a1 a2 a1    | a1 old new, a2 old new, a1 newest new    | 0
          """)
  void onlyWhatIsNotKnownIsPublished(String known, String read, String published, int duplicates) {
    var before = known.isEmpty() ? List.<RawItem>of() : items(known.split(" "));

    ChangePlan plan =
        ChangePlan.of(items(read.split(" ")), ChangePlan.learn(before, VERSION), SNAPSHOTS);

    assertThat(String.join(", ", publications(plan))).isEqualTo(published);
    assertThat(plan.duplicates()).isEqualTo(duplicates);
  }

  @Test
  @DisplayName("section 4: a new fingerprint version republishes the newest snapshot alone, once")
  void anotherFingerprintVersionPublishesTheNewestAgain() {
    var items = items("a1", "a2");

    ChangePlan plan = ChangePlan.of(items, ChangePlan.learn(items, "1:text,title"), SNAPSHOTS);

    assertThat(publications(plan)).containsExactly("a2 newest fingerprint version");
    assertThat(ChangePlan.of(items, plan.known(), SNAPSHOTS).publications()).isEmpty();
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
      ChangePlan plan = ChangePlan.of(items, known, SNAPSHOTS);

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

  @Test
  void aTrackersOlderAnswerNeverReplacesANewerOne() {
    Instant newer = Instant.parse("2026-02-10T08:00:30Z");
    var published = ChangePlan.of(List.of(changed("a closed", newer)), Map.of(), SNAPSHOTS).known();
    RawItem older = changed("a open", newer.minusSeconds(20));
    RawItem same = changed("a closed twice", newer);

    assertThat(ChangePlan.withoutOlder(List.of(older), published)).isEmpty();
    assertThat(ChangePlan.withoutOlder(List.of(older, same), published)).containsExactly(same);
  }

  @Test
  void anItemOfWhichNothingIsKnownIsNew() {
    var known = Map.of(items("a1").getFirst().key(), new Known(List.of(), VERSION, null));

    assertThat(publications(ChangePlan.of(items("a1"), known, SNAPSHOTS)))
        .containsExactly("a1 newest new");
    assertThat(ChangePlan.withoutOlder(List.of(changed("a", Instant.EPOCH)), Map.of())).hasSize(1);
  }

  @Test
  void whatIsKnownAfterAPollIsWrittenWhereItDiffers() {
    ChangePlan plan = ChangePlan.of(items("a1", "b1"), Map.of(), SNAPSHOTS);
    Map<ItemKey, Known> before = ChangePlan.learn(items("a1", "b0"), VERSION);

    assertThat(plan.changesOf(before)).containsOnlyKeys(items("b1").getFirst().key());
    assertThat(plan.changesOf(Map.of())).isEqualTo(plan.known());
  }

  @Test
  void aCursorIsReadAsItIsWritten() {
    var cursor = new PollCursor("2026-02-10T08:00:30Z", "p1", VERSION);

    assertThat(PollCursor.parse(cursor.toString())).contains(cursor);
    assertThat(PollCursor.parse("another shape")).isEmpty();
    assertThat(PollCursor.parse(null)).isEmpty();
  }

  @Test
  void whereATimeIsNotKnownNothingIsHeldBack() {
    Instant time = Instant.parse("2026-02-10T08:00:30Z");
    var timed = ChangePlan.of(List.of(changed("a", time)), Map.of(), SNAPSHOTS).known();
    var untimed = ChangePlan.of(items("a"), Map.of(), SNAPSHOTS).known();

    assertThat(ChangePlan.withoutOlder(items("a2"), timed)).hasSize(1);
    assertThat(ChangePlan.withoutOlder(List.of(changed("a2", time)), untimed)).hasSize(1);
  }

  private static RawItem changed(String title, Instant at) {
    var key = new ItemKey("default", "items", "a");
    return RawItem.of(key, title).changed("0", at, null).build();
  }

  private static List<String> publications(ChangePlan plan) {
    return plan.publications().stream()
        .map(p -> p.item().title() + (p.newest() ? " newest " : " old ") + p.reason().label())
        .toList();
  }

  private static List<RawItem> items(String... titles) {
    return Stream.of(titles).map(ChangePlanTest::item).toList();
  }

  private static RawItem item(String title) {
    var key = new ItemKey("default", "items", title.substring(0, 1));
    return RawItem.of(key, title).build();
  }
}
