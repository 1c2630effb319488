package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.change.Snapshots;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.lease.PollPermission;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.SourceRules;
import dev.flyball.tracker.TestSources;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CommentedPlanTest {
  private static final Instant START = Instant.parse("2026-11-22T10:00:00Z");
  private static final SourceRules FROM_NOW =
      TestSources.rules(new OptIn(new OptIn.Start.Now(), List.of(), null, null));

  private static final PollPermission PERMISSION = new PollPermission(PollClocks.DEFAULT, () -> 0);
  private static final SourceRules WITH_LABEL = rules(List.of("agent"));
  private static final List<String> COMPARED = List.of("title", "comments");

  private final List<String> asked = new ArrayList<>();

  /** What the tracker answers when it is asked for an item's comments. */
  private Supplier<List<HumanComment>> answer = List::of;

  private final Source source =
      new Source() {
        @Override
        public PollResult poll(@Nullable String cursor, RequestPermission permission) {
          throw new UnsupportedOperationException();
        }

        @Override
        public List<HumanComment> comments(RawItem item, RequestPermission permission) {
          asked.add(item.key().id());
          return answer.get();
        }
      };

  @Test
  void anItemThatIsNotTakenCostsNoRequestForItsComments() {
    var snapshots = new Snapshots(1024, List.of("title"), FROM_NOW).since(START);

    CommentedPlan commented =
        plan(snapshots, item("old", START.minusSeconds(1)), item("new", START));

    assertThat(commented.plan().publications()).hasSize(2);
    assertThat(asked).containsExactly("new");
  }

  @Test
  void ofALongListTheItemsThatChangedLastAreAskedForTheirComments() {
    var items =
        IntStream.range(0, CommentedPlan.MOST + 1)
            .mapToObj(i -> item("n" + i, START))
            .toArray(RawItem[]::new);

    CommentedPlan commented = plan(snapshots(List.of("title"), SourceRules.DEFAULT), items);

    assertThat(commented.plan().publications()).hasSize(items.length);
    assertThat(asked).hasSize(CommentedPlan.MOST).doesNotContain("n0");
  }

  @ParameterizedTest
  @EnumSource(value = Category.class, mode = EnumSource.Mode.EXCLUDE, names = "NOT_FOUND")
  void nothingIsPublishedWithoutCommentsThatDecideWhetherAnItemChanged(Category category) {
    answer = failure(category);

    CommentedPlan commented = plan(snapshots(COMPARED, SourceRules.DEFAULT), item("1", START));

    assertThat(commented.complete()).isFalse();
    assertThat(commented.failure()).extracting(TrackerFailure::category).isEqualTo(category);
  }

  @Test
  void commentsThatBreakTheirReaderCountAsUnread() {
    answer =
        () -> {
          throw new IllegalStateException("broken");
        };
    RawItem[] items = {item("1", START), item("2", START)};

    CommentedPlan compared = plan(snapshots(COMPARED, SourceRules.DEFAULT), items);
    CommentedPlan notCompared = plan(snapshots(List.of("title"), SourceRules.DEFAULT), items);

    assertThat(compared.complete()).isFalse();
    assertThat(compared.failure())
        .extracting(TrackerFailure::category)
        .isEqualTo(Category.MALFORMED);
    assertThat(notCompared.complete()).isTrue();
    assertThat(notCompared.failure()).isNull();
    assertThat(asked)
        .as("one item's comments keep no other item's away")
        .containsExactly("1", "1", "2");
  }

  @Test
  void anItemWithoutAListOfCommentsHasNone() {
    answer = failure(Category.NOT_FOUND);

    assertThat(plan(snapshots(COMPARED, SourceRules.DEFAULT), item("1", START)).complete())
        .isTrue();
  }

  @Test
  void whereCommentsDecideNothingAFailureKeepsNoItemBack() {
    answer = failure(Category.UNREACHABLE);

    CommentedPlan commented =
        plan(snapshots(List.of("title"), SourceRules.DEFAULT), item("1", START), item("2", START));

    assertThat(commented.complete()).isTrue();
    assertThat(commented.failure()).isNotNull();
    assertThat(commented.plan().publications()).hasSize(2);
    assertThat(asked).containsExactly("1");
  }

  @Test
  void anItemThatLosesItsLabelAndGetsItBackHasTheSameFingerprint() {
    answer = () -> List.of(new HumanComment("ann", null, "It fails."));
    Snapshots snapshots = snapshots(COMPARED, WITH_LABEL);

    Snapshot taken = only(plan(snapshots, labelled("agent")));
    Snapshot without = only(plan(snapshots, labelled()));

    assertThat(without.lacksRequest()).isTrue();
    assertThat(without.fingerprint()).isEqualTo(taken.fingerprint());
  }

  private CommentedPlan plan(Snapshots snapshots, RawItem... items) {
    return CommentedPlan.of(List.of(items), Map.of(), snapshots, source, PERMISSION);
  }

  private static Snapshot only(CommentedPlan commented) {
    assertThat(commented.plan().publications()).hasSize(1);
    return commented.plan().publications().getFirst().snapshot();
  }

  private static Snapshots snapshots(List<String> fields, SourceRules rules) {
    return new Snapshots(1024, fields, rules);
  }

  private static SourceRules rules(List<String> labels) {
    return TestSources.rules(new OptIn(new OptIn.Start.All(), labels, null, null));
  }

  private static Supplier<List<HumanComment>> failure(Category category) {
    return () -> {
      throw new SourceFailure(category, "web is away");
    };
  }

  private static RawItem labelled(String... labels) {
    return RawItem.of(new ItemKey("acme", "web", "1"), "1")
        .type("Bug")
        .state("Active")
        .tags(List.of(labels))
        .changed("1", START, null)
        .build();
  }

  private static RawItem item(String id, Instant changedAt) {
    return DeltaTracker.item("acme", "web", id, id, "Active", changedAt);
  }
}
