package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.RecordRejected;
import dev.flyball.runner.events.SessionEvents;
import dev.flyball.runner.session.SessionEnd;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A session ends whatever the broker says to its result")
class ResultReportTest {
  private static final SessionEnd COMPLETED = new SessionEnd(Outcome.COMPLETED, null, null);

  private final Broker broker = new Broker();

  @Test
  void aResultThatIsTakenChangesNothing() throws Exception {
    broker.most = 1_000_000;

    assertThat(reported(COMPLETED, "answer")).isEqualTo(COMPLETED);
    assertThat(broker.asked).hasSize(1);
  }

  @Test
  @DisplayName("a session whose result is never taken fails: it does not run again without end")
  void aResultThatIsNeverTakenFailsItsSession() throws Exception {
    broker.most = 0;

    SessionEnd end = reported(COMPLETED, "answer");

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.reason()).isNotBlank();
  }

  @Test
  void aResultThatIsRefusedForAnotherReasonFailsItsSessionAfterALease() throws Exception {
    broker.most = 0;
    broker.refusal = new RecordRejected("not allowed");

    SessionEnd end = reported(COMPLETED, "answer");

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(broker.asked).hasSizeGreaterThan(1);
  }

  @Test
  @DisplayName("a broker that is away uses up no attempt")
  void anOutageInterrupts() throws Exception {
    broker.most = 0;
    broker.refusal = new IllegalStateException("away");

    assertThat(reported(COMPLETED, "answer").outcome()).isEqualTo(Outcome.INTERRUPTED);
  }

  @Test
  void anOutcomeThatNeedsNoAnswerStays() throws Exception {
    broker.most = 0;
    var timedOut =
        new SessionEnd(
            Outcome.TIMED_OUT,
            new Failure(Failure.Kind.TRANSIENT, "wall-clock"),
            "wall clock of 600 s");

    assertThat(reported(timedOut, "half an answer")).isEqualTo(timedOut);
  }

  private SessionEnd reported(SessionEnd end, String text) throws InterruptedException {
    var events =
        new SessionEvents(
            "r1", ItemKey.parse("a/s/1"), "session", EventData.EMPTY, InstantSource.system());
    return new ResultReport(broker, broker, events, EventData.EMPTY)
        .of(end, new SessionResult(null, text, List.of(), false, "command", null, null));
  }

  /** Takes events up to a size, or refuses all of them; each look at the clock takes a second. */
  private static final class Broker implements EventSink, LeaseHold {
    private final List<LifecycleEvent> asked = new ArrayList<>();
    private RuntimeException refusal = new RecordRejected("too large");
    private int most = Integer.MAX_VALUE;
    private long now;

    @Override
    public CompletableFuture<Void> publish(LifecycleEvent event) {
      asked.add(event);
      return RecordJson.bytes(event.data()).length <= most
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(refusal);
    }

    @Override
    public void offer(LifecycleEvent event) {}

    @Override
    public boolean offer(String session, OutputChunk chunk) {
      return true;
    }

    @Override
    public void dead(LedgerEntry.Release release) {}

    @Override
    public void providerLimited(
        String provider, @Nullable UnaryOperator<Instant> until, String why) {}

    @Override
    public boolean confirmedLately(SessionHandle handle) {
      return true;
    }

    @Override
    public Duration patience() {
      return Duration.ofSeconds(5);
    }

    @Override
    public long nowNanos() {
      return now += Duration.ofSeconds(1).toNanos();
    }
  }
}
