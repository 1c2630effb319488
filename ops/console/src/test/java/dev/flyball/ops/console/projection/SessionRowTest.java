package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.projection.SessionTable.SessionRow;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-16, S0-31, S0-52: a session's row is what its events report")
class SessionRowTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final SessionRow BEGUN = SessionRow.begin("s1", "a/b/1");

  @Test
  void aSessionGathersWhatItsEventsSay() {
    SessionRow row =
        BEGUN
            .after(event(EventType.SESSION_CLAIMED, EventData.EMPTY.with(Field.RUNNER, "r1")))
            .after(
                event(
                    EventType.SESSION_SPAWNED,
                    EventData.EMPTY
                        .with(Field.PID, 42)
                        .with(Field.LEVEL, "A")
                        .with(Field.AGENT, "scout")
                        .with(Field.ATTEMPT, 2)))
            .after(
                event(
                    EventType.SESSION_PROGRESSED,
                    EventData.EMPTY
                        .with(Field.INPUT_TOKENS, 100)
                        .with(Field.OUTPUT_TOKENS, 20)
                        .with(Field.COST_MICROS, 5_000)
                        .with(Field.LIMIT_MS, 25_000)
                        .with(Field.PROCESSES, 3)));

    assertThat(row)
        .isEqualTo(
            new SessionRow(
                "s1",
                "a/b/1",
                "r1",
                42L,
                "A",
                3L,
                T,
                false,
                120,
                5_000,
                new SessionRow.Start(2L, T, "scout", null, null, 25_000L),
                null));
  }

  @Test
  @DisplayName("S1-3: hung is a separate state, and ends with the next output of the agent")
  void silenceIsShownAndRecovers() {
    SessionRow hung = BEGUN.after(event(EventType.SESSION_HUNG, EventData.EMPTY));

    assertThat(hung.hung()).isTrue();
    var report =
        event(EventType.SESSION_PROGRESSED, EventData.EMPTY.with(Field.OUTPUT_AGE_MS, 130_000));
    assertThat(hung.after(report).hung()).as("its runner spoke, not the agent").isTrue();
    assertThat(hung.after(report).progressAt()).isEqualTo(report.time().minusMillis(130_000));
    assertThat(hung.after(event(EventType.SESSION_RECOVERED, EventData.EMPTY)).hung()).isFalse();
  }

  @Test
  void aTerminalEndsItAndNothingAfterItCounts() {
    var data =
        EventData.EMPTY
            .with(Field.OUTCOME, "failed")
            .with(Field.REASON, "exit 3")
            .with(Field.WAITING_MS, 10)
            .with(Field.RUNNING_MS, 2_000)
            .with(Field.EXIT_CODE, 3)
            .with(Field.RECEIPT, new Receipt("A", 4, 1_000, List.of("TERM"), 0));

    SessionRow ended = BEGUN.after(event(EventType.SESSION_FAILED, data));

    assertThat(ended.end())
        .isEqualTo(new SessionRow.End("failed", "exit 3", T, 10, 2_000, 3L, null, 4L, 0L));
    assertThat(ended.after(event(EventType.SESSION_COMPLETED, EventData.EMPTY))).isSameAs(ended);
    assertThat(
            ended.after(event(EventType.SESSION_PROGRESSED, EventData.EMPTY.with(Field.TOKENS, 9))))
        .isSameAs(ended);
  }

  @Test
  void theOutcomeIsInTheTypeToo() {
    SessionRow.End end =
        Objects.requireNonNull(
            BEGUN
                .after(
                    event(
                        EventType.SESSION_LOST,
                        EventData.EMPTY.with(Field.RECEIPT, Receipt.unknown())))
                .end());

    assertThat(end.outcome()).isEqualTo("lost");
    assertThat(end.survivors()).isNull();
  }

  private static LifecycleEvent event(EventType type, EventData data) {
    return new LifecycleEvent("e", type, "/runner/r1", "a/b/1", T, data);
  }
}
