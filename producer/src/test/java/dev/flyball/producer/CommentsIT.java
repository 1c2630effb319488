package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.breaker.Breaker;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.TrackerFailure;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Comments of people become part of what is published of an item. */
class CommentsIT extends PollFixture {
  @Test
  void whereCommentsAreComparedAFailureFailsThePollAndTheNextOneReadsTheSame() {
    List<String> fields = List.of("title", "comments");
    ProducerApp app =
        start(
            config("data", file(), Breaker.Limits.DEFAULT, ProducerConfig.DEFAULT_BACKLOG, fields),
            false);
    tracker.comments = List.of(new HumanComment("anna", null, "It fails since 2.1."));
    tracker.put("1", "one", Instant.now());
    poll(app);
    assertThat(snapshots("1").getFirst().text())
        .isEqualTo("Comments, newest first:\n\nanna:\n  It fails since 2.1.");
    tracker.put("1", "one", Instant.now().plusSeconds(1));
    tracker.commentsFailure = TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "web is away");

    assertThat(app.pollNow(key)).isInstanceOf(PollReport.Failed.class);
    assertThat(fingerprints("1")).as("nothing is published").hasSize(1);
    assertThat(app.health().reasons()).anyMatch(reason -> reason.contains("web is away"));
    tracker.commentsFailure = null;
    poll(app);

    assertThat(fingerprints("1")).as("the item did not change").hasSize(2);
    assertThat(Set.copyOf(fingerprints("1"))).hasSize(1);
    assertThat(app.health().reasons()).isEmpty();
  }

  private List<Fingerprint> fingerprints(String id) {
    return snapshots(id).stream().map(Snapshot::fingerprint).toList();
  }
}
