package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("doctor asks a tracker with few requests")
class TrackerProbeTest {
  private static final TrackerFailure DOWN = TrackerFailure.of(Category.AUTH, "401");

  @Test
  void aTrackerWithManyPagesIsAskedThreeTimes() {
    var requests = new AtomicInteger();
    Source endless =
        (cursor, permission) -> {
          while (true) {
            permission.check();
            requests.incrementAndGet();
          }
        };

    assertThat(TrackerProbe.of("acme/ado", endless, "c")).isEmpty();
    assertThat(requests).hasValue(TrackerProbe.MOST);
  }

  @Test
  void whatItAnswersIsTheAnswer() {
    Source quiet = (cursor, permission) -> new PollResult.Read(List.of(), List.of(), "c", 1);
    Source failing = (cursor, permission) -> new PollResult.Failed(DOWN);
    Source throwing =
        (cursor, permission) -> {
          throw new SourceFailure(DOWN, null);
        };
    Source broken =
        (cursor, permission) -> {
          throw new IllegalStateException("no such field");
        };

    assertThat(TrackerProbe.of("acme/ado", quiet, null)).isEmpty();
    assertThat(TrackerProbe.of("acme/ado", failing, null)).hasValue(DOWN);
    assertThat(TrackerProbe.of("acme/ado", throwing, null)).hasValue(DOWN);
    assertThat(TrackerProbe.of("acme/ado", broken, null))
        .hasValueSatisfying(it -> assertThat(it.category()).isEqualTo(Category.MALFORMED));
  }
}
