package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.tracker.HumanComment;
import dev.flyball.tracker.TrackerFailure;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Comments of people become part of what is published of an item. */
class CommentsIT extends PollFixture {
  private ProducerApp app;

  @BeforeEach
  void start() {
    start(ProducerConfig.DEFAULT_FINGERPRINT_FIELDS);
  }

  private void start(List<String> fields) {
    app =
        start(
            config("data", file(), BreakerLimits.DEFAULT, ProducerConfig.DEFAULT_BACKLOG, fields),
            false);
  }

  @Test
  void onlyItemsThatArePublishedAndOpenAreAskedForTheirComments() {
    tracker.comments = List.of(new HumanComment("anna", null, "It fails since 2.1."));
    tracker.put("1", "one", Instant.now());
    tracker.put("2", "two", "Closed", Instant.now());
    poll();
    tracker.put("3", "three", Instant.now());
    poll();

    assertThat(tracker.commentsRead).containsExactly("1", "3");
    assertThat(texts("1"))
        .containsExactly("Comments, newest first:\n\nanna:\n  It fails since 2.1.");
    assertThat(texts("2")).containsExactly("");
  }

  @Test
  void whereCommentsAreComparedAFailureFailsThePollAndTheNextOneReadsTheSame() {
    app.stop();
    start(List.of("title", "comments"));
    tracker.comments = List.of(new HumanComment("anna", null, "It fails since 2.1."));
    tracker.put("1", "one", Instant.now());
    poll();
    tracker.put("1", "one", Instant.now().plusSeconds(1));
    tracker.commentsFailure = TrackerFailure.of(TrackerFailure.Category.UNREACHABLE, "web is away");

    assertThat(app.pollNow(key)).isInstanceOf(PollReport.Failed.class);
    assertThat(fingerprints("1")).as("nothing is published").hasSize(1);
    assertThat(app.health().reasons()).anyMatch(reason -> reason.contains("web is away"));
    tracker.commentsFailure = null;
    poll();

    assertThat(fingerprints("1")).as("the item did not change").hasSize(2);
    assertThat(Set.copyOf(fingerprints("1"))).hasSize(1);
    assertThat(app.health().reasons()).isEmpty();
  }

  private void poll() {
    poll(app);
  }

  private List<String> texts(String id) {
    return snapshots(id).stream().map(Snapshot::text).toList();
  }

  private List<Fingerprint> fingerprints(String id) {
    return snapshots(id).stream().map(Snapshot::fingerprint).toList();
  }
}
