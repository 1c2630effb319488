package dev.flyball.writeback;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.testkit.Sample;
import dev.flyball.tracker.RequestPermission;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Write-back: a comment is ours by its mark and its author, with every tracker")
class CommentsConformanceTest {
  private static final ItemKey ITEM = ItemKey.parse("acme/web/12");
  private static final String SOMEBODY = "66";

  @ParameterizedTest
  @EnumSource
  void ourOwnIsFoundAgainAndANewerAnalysisEditsIt(CommentingTracker.Kind kind) {
    try (var tracker = new CommentingTracker(kind)) {
      assertThat(deliver(process(tracker), "s-1", 1)).isEqualTo("added");
      assertThat(tracker.asked()).as("who we are, without a mark").isZero();
      // Another process knows nothing yet.
      CommentDelivery next = process(tracker);
      assertThat(deliver(next, "s-1", 1)).isEqualTo("skipped");
      assertThat(deliver(next, "s-2", 2)).isEqualTo("edited");
      assertThat(deliver(next, "s-2", 2)).isEqualTo("skipped");

      assertThat(tracker.authors()).containsExactly(CommentingTracker.US);
      assertThat(tracker.asked()).as("who we are is asked once, not for each item").isOne();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCopyOfOursByAnotherAccountIsIgnored(CommentingTracker.Kind kind) {
    try (var tracker = new CommentingTracker(kind)) {
      deliver(process(tracker), "s-1", 1);
      tracker.copiedBy(SOMEBODY);
      tracker.deleteFirst();
      CommentDelivery next = process(tracker);

      assertThat(deliver(next, "s-1", 1)).isEqualTo("added");
      assertThat(deliver(next, "s-2", 2)).isEqualTo("edited");
      assertThat(tracker.authors()).containsExactly(SOMEBODY, CommentingTracker.US);
    }
  }

  private CommentDelivery process(CommentingTracker tracker) {
    return new CommentDelivery(tracker.comments(), false);
  }

  private static String deliver(CommentDelivery delivery, String session, long offset) {
    var analysis = Sample.analysis("answer", session, "ledger:" + offset);
    return delivery.deliver(ITEM, analysis, RequestPermission.GRANTED);
  }
}
