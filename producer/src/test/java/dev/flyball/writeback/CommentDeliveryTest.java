package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Write-back: one item's trouble is its own, a place's is everybody's")
class CommentDeliveryTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");

  private final MemoryComments comments = new MemoryComments();
  private final CommentDelivery delivery = new CommentDelivery(comments);

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH"})
  void aCommentThatMayNotBeEditedStaysAndANewOneIsAdded(Category refused) {
    deliver("s-1", 1);
    comments.edits = refused;

    assertThat(deliver("s-2", 2)).isEqualTo("added");
    assertThat(comments.comments.get("12")).hasSize(2);
    assertThat(deliver("s-2", 2)).isEqualTo("skipped");
  }

  @Test
  void anEditThatIsToBeTriedAgainAddsNothing() {
    deliver("s-1", 1);
    comments.edits = Category.UNREACHABLE;

    assertThatThrownBy(() -> deliver("s-2", 2)).isInstanceOf(SourceFailure.class);
    assertThat(comments.comments.get("12")).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"NOT_FOUND, GONE", "AUTH, ITEM", "MALFORMED, ITEM", "UNREACHABLE, ITEM"})
  void anItemThatFailsInAPlaceThatAnswersIsToBlame(Category category, Delivery.Blame blame) {
    assertThat(blame(category)).isEqualTo(blame);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH", "UNREACHABLE"})
  void anItemThatCanBeReadIsNotGoneWhateverTheAnswerToItsComment(Category refused) {
    comments.adds = refused;

    assertThatThrownBy(() -> deliver("s-1", 1))
        .isInstanceOfSatisfying(
            SourceFailure.class,
            e ->
                assertThat(delivery.blame(e.failure(), RequestPermission.GRANTED))
                    .isEqualTo(Delivery.Blame.ITEM));
  }

  @ParameterizedTest
  @EnumSource
  void whereThePlaceDoesNotAnswerItIsToBlame(Category category) {
    comments.down = true;
    assertThat(blame(category)).isEqualTo(Delivery.Blame.PLACE);
  }

  @Test
  void aRateLimitIsThePlacesOwn() {
    assertThat(blame(Category.RATE_LIMITED)).isEqualTo(Delivery.Blame.PLACE);
  }

  private Delivery.Blame blame(Category category) {
    return delivery.blame(TrackerFailure.of(category, "no"), RequestPermission.GRANTED);
  }

  private String deliver(String session, long offset) {
    var analysis = Sample.analysis("answer", session, "ledger:" + offset);
    return delivery.deliver(ITEM, analysis, RequestPermission.GRANTED);
  }
}
