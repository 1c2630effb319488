package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.Analysis;
import dev.flyball.tracker.CommentBody;
import dev.flyball.tracker.Comments;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Write-back: one item's trouble is its own, a place's is everybody's")
class CommentDeliveryTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");

  private final Scripted comments = new Scripted();
  private final CommentDelivery delivery = new CommentDelivery(comments);

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH"})
  void aCommentThatMayNotBeEditedStaysAndANewOneIsAdded(Category refused) {
    deliver("s-1", 1);
    comments.edits = refused;

    assertThat(deliver("s-2", 2)).isEqualTo("added");
    assertThat(comments.texts).hasSize(2);
    assertThat(deliver("s-2", 2)).isEqualTo("skipped");
  }

  @Test
  void anEditThatIsToBeTriedAgainAddsNothing() {
    deliver("s-1", 1);
    comments.edits = Category.UNREACHABLE;

    assertThatThrownBy(() -> deliver("s-2", 2)).isInstanceOf(SourceFailure.class);
    assertThat(comments.texts).hasSize(1);
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
    comments.place = Category.UNREACHABLE;
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
    var analysis =
        new Analysis(
            "1",
            Fingerprint.parse("1:title#00"),
            null,
            "answer",
            List.of(),
            0,
            "scout",
            null,
            session,
            "ledger:" + offset,
            Instant.EPOCH,
            null,
            null,
            null);
    return delivery.deliver(ITEM, analysis, RequestPermission.GRANTED);
  }

  /** Comments in memory; the test sets which requests it rejects. */
  private static final class Scripted implements Comments {
    private final List<String> texts = new ArrayList<>();
    private @Nullable Category adds;
    private @Nullable Category edits;
    private @Nullable Category place;

    @Override
    public List<Comment> of(String item, RequestPermission permission) {
      var all = new ArrayList<Comment>();
      texts.forEach(text -> all.add(new Comment(Integer.toString(all.size()), "", text)));
      return all;
    }

    @Override
    public Optional<String> us(RequestPermission permission) {
      return Optional.empty();
    }

    @Override
    public void check(RequestPermission permission) {
      refuse(place);
    }

    @Override
    public void add(String item, CommentBody body, RequestPermission permission) {
      refuse(adds);
      texts.add(body.markdown());
    }

    @Override
    public void edit(String item, String comment, CommentBody body, RequestPermission permission) {
      refuse(edits);
      texts.set(Integer.parseInt(comment), body.markdown());
    }

    private static void refuse(@Nullable Category category) {
      if (category != null) {
        throw new SourceFailure(category, "refused");
      }
    }
  }
}
