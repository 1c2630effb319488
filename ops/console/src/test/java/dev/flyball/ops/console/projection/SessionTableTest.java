package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-16, S0-31, S0-52: a session's row is what its events report")
class SessionTableTest extends ProjectionFixture {
  private static final EventData NONE = EventData.EMPTY;
  private static final String END =
      "outcome, reason, waiting_ms, running_ms, exit_code, signal, processes_peak, survivors";

  @Test
  void aSessionGathersWhatItsEventsSay() {
    says(EventType.SESSION_CLAIMED, NONE.with(Field.RUNNER, "r1"));
    says(
        EventType.SESSION_SPAWNED,
        NONE.with(Field.PID, 42, Field.LEVEL, "A").with(Field.AGENT, "scout", Field.ATTEMPT, 2));
    says(
        EventType.SESSION_PROGRESSED,
        NONE.with(Field.INPUT_TOKENS, 100, Field.OUTPUT_TOKENS, 20)
            .with(Field.COST_MICROS, 5_000, Field.LIMIT_MS, 25_000)
            .with(Field.PROCESSES, 3, Field.DOING, "Read"));
    says(EventType.SESSION_PROGRESSED, NONE.with(Field.TOKENS, 9, Field.COST_MICROS, 8));

    assertThat(row("item, tenant, runner, pid, level, processes, doing, hung, tokens, cost_micros"))
        .isEqualTo("a/b/1 a r1 42 A 3 Read 0 120 5000");
    assertThat(row("attempt, started_at, agent, profile, model, limit_ms, outcome"))
        .isEqualTo("2 2026-11-21T10:00:00.000000000Z scout null null 25000 null");
  }

  @Test
  @DisplayName("S1-3: hung is a separate state, and ends with the next output of the agent")
  void silenceIsShownAndRecovers() {
    says(EventType.SESSION_HUNG, NONE);
    says(EventType.SESSION_PROGRESSED, NONE.with(Field.OUTPUT_AGE_MS, 130_000));
    assertThat(row("hung, progress_at"))
        .as("its runner spoke, not the agent")
        .isEqualTo("1 2026-11-21T09:57:50.000000000Z");

    says(EventType.SESSION_RECOVERED, NONE);
    assertThat(row("hung, progress_at")).isEqualTo("0 2026-11-21T10:00:00.000000000Z");
  }

  @Test
  void aTerminalEndsItAndNothingAfterItCounts() {
    says(EventType.SESSION_HUNG, NONE);
    says(
        EventType.SESSION_FAILED,
        NONE.with(Field.OUTCOME, "failed", Field.REASON, "exit 3")
            .with(Field.WAITING_MS, 10, Field.RUNNING_MS, 2_000)
            .with(Field.EXIT_CODE, 3)
            .with(Field.RECEIPT, new Receipt("A", 4, 1_000, List.of("TERM"), 0)));
    says(EventType.SESSION_COMPLETED, NONE.with(Field.SIGNAL, 9));
    says(EventType.SESSION_PROGRESSED, NONE.with(Field.TOKENS, 9));

    assertThat(row(END)).isEqualTo("failed exit 3 10 2000 3 null 4 0");
    assertThat(row("hung, tokens")).isEqualTo("0 0");
  }

  @Test
  void theOutcomeIsInTheTypeToo() {
    says(EventType.SESSION_HUNG, NONE.with(Field.REASON, "silent"));
    says(EventType.SESSION_LOST, NONE.with(Field.RECEIPT, Receipt.unknown()));

    assertThat(row("outcome, reason, survivors")).isEqualTo("lost null null");
  }

  private void says(EventType type, EventData data) {
    says(type, "a/b/1", T, data.with(Field.SESSION, "s1"));
  }

  /** These columns of the session's row, separated by spaces. */
  private String row(String columns) {
    String text =
        String.join(
            " || ' ' || ",
            columns.replaceAll("\\w+", "coalesce($0, 'null')").split(", (?=coalesce)"));
    try (var file = ProjectionFile.openForReading(folder, TenantScope.ALL).orElseThrow()) {
      return file.first(row -> row.getString(1), "SELECT " + text + " FROM session").orElseThrow();
    }
  }
}
