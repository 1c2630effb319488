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
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Write-back: one item's trouble is its own, a place's is everybody's")
class CommentDeliveryTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");

  private final Scripted comments = new Scripted();
  private final CommentDelivery delivery = new CommentDelivery(comments);

  @ParameterizedTest
  @EnumSource(names = {"NOT_FOUND", "AUTH"})
  void aCommentThatMayNotBeEditedIsLeftAloneAndANewOneAdded(Category refused) {
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

  @Test
  void anItemThatIsGoneIsGivenUpAtOnceButNotIfItsPlaceIsGoneToo() {
    assertThat(hopeless(Category.NOT_FOUND, 1)).isTrue();
    comments.place = Category.NOT_FOUND;
    assertThat(hopeless(Category.NOT_FOUND, 99)).isFalse();
  }

  @Test
  void anItemThatRefusesIsGivenUpAfterTenTriesWhileItsPlaceAnswers() {
    assertThat(hopeless(Category.AUTH, CommentDelivery.TRIES - 1)).isFalse();
    assertThat(hopeless(Category.AUTH, CommentDelivery.TRIES)).isTrue();
    comments.place = Category.AUTH;
    assertThat(hopeless(Category.AUTH, 99)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"RATE_LIMITED", "UNREACHABLE"})
  void aTrackerThatIsDownIsWaitedFor(Category category) {
    assertThat(hopeless(category, 999)).isFalse();
  }

  private boolean hopeless(Category category, int tries) {
    return delivery.hopeless(TrackerFailure.of(category, "no"), tries, RequestPermission.GRANTED);
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
            Instant.EPOCH);
    return delivery.deliver(ITEM, analysis, RequestPermission.GRANTED);
  }

  /** Comments in memory; the test sets which requests it rejects. */
  private static final class Scripted implements Comments {
    private final List<String> texts = new ArrayList<>();
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
