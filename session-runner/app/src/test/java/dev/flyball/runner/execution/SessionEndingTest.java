package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.events.EventSink.RecordRejected;
import dev.flyball.runner.session.End;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A session ends whatever the broker says to its result")
class SessionEndingTest {
  private static final End COMPLETED = new End(Outcome.COMPLETED, null, null);

  private int sent;

  @Test
  void aResultThatIsTakenChangesNothing() throws Exception {
    assertThat(reported(COMPLETED, null)).isEqualTo(COMPLETED);
    assertThat(sent).isOne();
  }

  @Test
  @DisplayName("a session whose result is never taken fails: it does not run again without end")
  void aResultThatIsNeverTakenFailsItsSession() throws Exception {
    End end = reported(COMPLETED, new RecordRejected("too large"));

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.reason()).isNotBlank();
    assertThat(sent).as("tried for a whole lease").isGreaterThan(1);
  }

  @Test
  @DisplayName("a broker that is away uses up no attempt")
  void anOutageInterrupts() throws Exception {
    assertThat(reported(COMPLETED, new IllegalStateException("away")).outcome())
        .isEqualTo(Outcome.INTERRUPTED);
  }

  @Test
  void anOutcomeThatNeedsNoAnswerStays() throws Exception {
    var timedOut =
        new End(
            Outcome.TIMED_OUT, new Failure(Failure.Kind.TRANSIENT, "wall-clock"), "after 600 s");

    assertThat(reported(timedOut, new RecordRejected("too large"))).isEqualTo(timedOut);
  }

  /** Each look at the clock takes a second. */
  private End reported(End end, @Nullable RuntimeException failure) throws InterruptedException {
    var session =
        new OneSession(new FakeAgent("", ""), 0, 0) {
          @Override
          public CompletableFuture<Void> publish(LifecycleEvent event) {
            sent++;
            return failure == null
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(failure);
          }

          @Override
          public long nowNanos() {
            later = later.plus(Duration.ofSeconds(1));
            return super.nowNanos();
          }
        };
    var event =
        new LifecycleEvent(
            "e", EventType.SESSION_RESULT, "/r", "a/s/1", Instant.EPOCH, EventData.EMPTY);
    return SessionEnding.sent(end, event, session, session);
  }
}
