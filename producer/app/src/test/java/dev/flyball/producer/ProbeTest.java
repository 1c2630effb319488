package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Failure;
import dev.flyball.tracker.Failure.Category;
import dev.flyball.tracker.PollResult;
import dev.flyball.tracker.Source;
import dev.flyball.tracker.SourceFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("doctor asks a tracker with few requests")
class ProbeTest {
  private static final Failure DOWN = Failure.of(Category.AUTH, "401");

  @Test
  void aTrackerWithManyPagesIsAskedThreeTimes() {
    var requests = new AtomicInteger();
    Source endless =
        (cursor, leave) -> {
          while (true) {
            leave.check();
            requests.incrementAndGet();
          }
        };

    assertThat(Probe.of("acme/ado", endless, "c")).isEmpty();
    assertThat(requests).hasValue(Probe.MOST);
  }

  @Test
  void whatItAnswersIsTheAnswer() {
    Source quiet =
        (cursor, leave) -> new PollResult.Read(List.of(), List.of(), 0, "c", 1, Duration.ZERO);
    Source failing = (cursor, leave) -> new PollResult.Failed(DOWN);
    Source throwing =
        (cursor, leave) -> {
          throw new SourceFailure(DOWN, null);
        };
    Source broken =
        (cursor, leave) -> {
          throw new IllegalStateException("no such field");
        };

    assertThat(Probe.of("acme/ado", quiet, null)).isEmpty();
    assertThat(Probe.of("acme/ado", failing, null)).hasValue(DOWN);
    assertThat(Probe.of("acme/ado", throwing, null)).hasValue(DOWN);
    assertThat(Probe.of("acme/ado", broken, null))
        .hasValueSatisfying(it -> assertThat(it.category()).isEqualTo(Category.MALFORMED));
  }
}
