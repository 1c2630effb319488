package dev.flyball.producer.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.ProducerConfig;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.Markup;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TestSources;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotsTest {
  private static final Snapshots SNAPSHOTS =
      new Snapshots(
          ProducerConfig.DEFAULT_TEXT_LIMIT,
          ProducerConfig.DEFAULT_FINGERPRINT_FIELDS,
          SourceRules.DEFAULT);
  private static final RawItem ITEM = item().build();

  private static RawItem.Builder item() {
    return RawItem.of(new ItemKey("acme", "ado-main", "9493709"), "Search\u00ad is & stays slow")
        .description("<p>It takes 9&nbsp;s.</p>", Markup.HTML)
        .type("Bug")
        .state("Active")
        .priority(2)
        .tags(List.of("search", "perf"))
        .url("https://x.example/9493709")
        .changed("14", Instant.parse("2026-02-10T08:00:00Z"), "ann");
  }

  @Test
  void aSnapshotIsCleanAndComplete() {
    Snapshot snapshot = SNAPSHOTS.of(ITEM, true);

    assertThat(snapshot.title()).isEqualTo("Search is & stays slow");
    assertThat(snapshot.text()).isEqualTo("It takes 9 s.");
    assertThat(snapshot.revision()).isEqualTo("14");
    assertThat(snapshot.tags()).containsExactly("search", "perf");
    assertThat(snapshot.url()).isEqualTo("https://x.example/9493709");
    assertThat(snapshot.changedBy()).isEqualTo("ann");
    assertThat(snapshot.newest()).isTrue();
    assertThat(snapshot.closed()).isFalse();
    assertThat(snapshot.fingerprint().version()).isEqualTo(SNAPSHOTS.version());
  }

  @Test
  @DisplayName("what a tracker does not say is not made up, and lists are bounded")
  void aSnapshotOfLittle() {
    var tags = IntStream.range(0, 200).mapToObj(i -> "t" + i).toList();

    Snapshot snapshot = SNAPSHOTS.of(RawItem.of(ITEM.key(), " \u200b").tags(tags).build(), true);

    assertThat(snapshot.title()).isEqualTo("(no title)");
    assertThat(snapshot.url()).isNull();
    assertThat(snapshot.changedBy()).isNull();
    assertThat(snapshot.tags()).isEqualTo(tags.subList(0, snapshot.tags().size())).hasSize(64);
    assertThat(SNAPSHOTS.revisit()).isEqualTo(SourceRules.DEFAULT.revisit());
  }

  @ParameterizedTest
  @ValueSource(strings = {"tags", "url", "comments"})
  @DisplayName("fields that a source names count by their content")
  void fieldsThatCount(String field) {
    Snapshots naming = snapshots(TestSources.rules(List.of(field), Set.of(), false));
    String same = fingerprint(naming, item().tags(List.of("perf", "search", "perf")), "ann", "Hi.");

    assertThat(fingerprint(naming, item(), "bob", "Hi.")).as("order, authors").isEqualTo(same);
    assertThat(
            fingerprint(
                naming, item().tags(List.of("other")).url("https://y.example"), "ann", "Ho."))
        .isNotEqualTo(same);
    assertThat(fingerprint(naming, RawItem.of(ITEM.key(), "t"), "ann", "None."))
        .as("none of it")
        .isNotEqualTo(same);
  }

  private static String fingerprint(
      Snapshots snapshots, RawItem.Builder item, String author, String comment) {
    var comments = Map.of(ITEM.key(), List.of(new HumanComment(author, null, comment)));
    return snapshots.with(comments).of(item.build(), true).fingerprint().hash();
  }

  @Test
  @DisplayName("comments without a description stand alone")
  void commentsAlone() {
    var comments = Map.of(ITEM.key(), List.of(new HumanComment("bob", null, "Since 2.1.")));

    assertThat(SNAPSHOTS.with(comments).of(with("Active", "", "1", List.of()), true).text())
        .startsWith("Comments, newest first:");
  }

  @Test
  void aSnapshotNamesItsReaderWhereThatIsNotTheItemsOwnSource() {
    assertThat(SNAPSHOTS.readBy("acme/ado-main").of(ITEM, true).polledBy()).isNull();
    Snapshot line = SNAPSHOTS.readBy("default/file").of(ITEM, true);

    assertThat(line.polledBy()).isEqualTo("default/file");
    assertThat(line.fingerprint()).isEqualTo(SNAPSHOTS.of(ITEM, true).fingerprint());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Active | <p>It takes 9&nbsp;s.</p>                           | true
          Active | <div style='color:red'>It  takes <b>9</b> s.</div>  | true
          Closed | <p>It takes 9&nbsp;s.</p>                           | true
          Active | It takes 10 s.                                      | false
          """)
  void onlyAnotherTextCountsAsChange(String state, String description, boolean same) {
    Snapshot touched = SNAPSHOTS.of(with(state, description, "15", List.of("perf")), true);

    assertThat(touched.fingerprint().equals(SNAPSHOTS.of(ITEM, true).fingerprint()))
        .isEqualTo(same);
  }

  @Test
  void anEditBehindTheCutCountsAsChange() {
    String longText = "word ".repeat(40_000);
    Snapshot before = SNAPSHOTS.of(with("Active", longText + "a", "14", List.of()), true);
    Snapshot after = SNAPSHOTS.of(with("Active", longText + "b", "14", List.of()), true);

    assertThat(before.text()).isEqualTo(after.text());
    assertThat(before.text().getBytes(StandardCharsets.UTF_8).length)
        .isLessThanOrEqualTo(16 * 1024);
    assertThat(before.text()).containsPattern("\\[cut: [0-9]+ [a-z ]+]$");
    assertThat(before.fingerprint()).isNotEqualTo(after.fingerprint());
  }

  @Test
  void theSourcesOwnFieldListCountsInsteadOfTheProducers() {
    var own = snapshots(TestSources.rules(List.of("title"), Set.of(), false));

    assertThat(own.version())
        .isNotEqualTo(SNAPSHOTS.version())
        .isEqualTo(new Snapshots(1024, List.of("title"), SourceRules.DEFAULT).version());
    assertThat(own.of(with("Closed", "other", "1", List.of()), true).fingerprint())
        .isEqualTo(own.of(ITEM, true).fingerprint());
  }

  @Test
  void aSourceMayNameItsClosedStates() {
    RawItem parked = with("Parked ", "", "1", List.of());

    assertThat(SNAPSHOTS.of(parked, true).closed()).isFalse();
    assertThat(
            snapshots(TestSources.rules(List.of(), Set.of("PARKED"), false))
                .of(parked, true)
                .closed())
        .isTrue();
  }

  @Test
  void unassignedMeansClosedOnlyWhereASourceSaysSo() {
    Snapshots strict = snapshots(TestSources.rules(List.of(), Set.of(), true));
    RawItem unassigned = item().assignees(List.of()).build();

    assertThat(strict.of(unassigned, true).closed()).isTrue();
    assertThat(strict.of(ITEM, true).closed()).isFalse();
    assertThat(SNAPSHOTS.of(unassigned, true).closed()).isFalse();
  }

  @Test
  void commentsFollowTheTextAndCountOnlyWhereTheyAreNamed() {
    var comments = Map.of(ITEM.key(), List.of(new HumanComment("bob", null, "Since 2.1.")));
    Snapshots naming = snapshots(TestSources.rules(List.of("comments", "text"), Set.of(), false));

    Snapshot commented = SNAPSHOTS.with(comments).of(ITEM, true);

    assertThat(commented.text())
        .isEqualTo("It takes 9 s.\n\nComments, newest first:\n\nbob:\n  Since 2.1.");
    assertThat(commented.fingerprint()).isEqualTo(SNAPSHOTS.of(ITEM, true).fingerprint());
    assertThat(SNAPSHOTS.with(comments).of(ITEM, false).text()).isEqualTo("It takes 9 s.");
    assertThat(naming.with(comments).of(ITEM, true).fingerprint())
        .isNotEqualTo(naming.of(ITEM, true).fingerprint());
  }

  @Test
  void commentsAreCutBeforeTheDescription() {
    String long1 = "d".repeat(ProducerConfig.DEFAULT_TEXT_LIMIT - 1_000);
    RawItem item = with("Active", long1, "1", List.of());
    var comments =
        Map.of(ITEM.key(), Collections.nCopies(20, new HumanComment("bob", null, "c".repeat(99))));

    String text = SNAPSHOTS.with(comments).of(item, true).text();

    assertThat(text).startsWith(long1 + "\n\nComments, newest first:").endsWith("left out]");
    assertThat(text).hasSizeLessThanOrEqualTo(ProducerConfig.DEFAULT_TEXT_LIMIT);
    RawItem longer = with("Active", long1 + "d".repeat(2_000), "1", List.of());
    assertThat(SNAPSHOTS.with(comments).of(longer, true).text())
        .isEqualTo(SNAPSHOTS.of(longer, true).text());
  }

  @Test
  void tagsAreCleanedLikeEveryOtherText() {
    Snapshot snapshot =
        SNAPSHOTS.of(with("Active", "", "1", List.of("search &\u200b  find")), true);

    assertThat(snapshot.tags()).containsExactly("search & find");
    assertThat(snapshot.fingerprint())
        .isEqualTo(
            SNAPSHOTS.of(with("Active", "", "1", List.of("search & find")), true).fingerprint());
  }

  private static Snapshots snapshots(SourceRules rules) {
    return new Snapshots(
        ProducerConfig.DEFAULT_TEXT_LIMIT, ProducerConfig.DEFAULT_FINGERPRINT_FIELDS, rules);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Closed", "done", "RESOLVED", "Removed", " Won't Fix "})
  void aClosedStateMeansThatNoWorkIsWanted(String state) {
    assertThat(SNAPSHOTS.of(with(state, "", "1", List.of()), true).closed()).isTrue();
  }

  private static RawItem with(
      String state, String description, String revision, List<String> tags) {
    return item()
        .description(description, Markup.HTML)
        .state(state)
        .tags(tags)
        .changed(revision, Instant.parse("2026-03-01T08:00:00Z"), "bob")
        .build();
  }
}
