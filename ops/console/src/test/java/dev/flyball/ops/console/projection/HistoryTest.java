package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.view.DeadLetterRow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.OperatorAction;
import dev.flyball.ops.console.view.SourceStatus;
import dev.flyball.ops.console.view.SourceStatus.PollRow;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.SessionTotals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What sessions, sources and operators did, as the projection's rows and figures show it. */
class HistoryTest extends ProjectionFixture {
  @Test
  void sessionsArePagedAndTotalled() {
    put("a/b/1", new ItemPhase.New());
    for (int n = 0; n < 5; n++) {
      session(
          n == 4 ? EventType.SESSION_LOST : EventType.SESSION_COMPLETED,
          "s" + n,
          n,
          EventData.EMPTY.with(Field.RUNNING_MS, n * 1_000).with(Field.COST_MICROS, 10));
    }
    List<EndedSession> first = view.ended(2, null);
    List<EndedSession> second = view.ended(2, first.getLast().session());

    assertThat(first).extracting(EndedSession::session).containsExactly("s4", "s3");
    assertThat(first).extracting(EndedSession::title).containsOnly("Search <is> slow");
    assertThat(second).extracting(EndedSession::session).containsExactly("s2", "s1");
    assertThat(view.totals(T.plusSeconds(1)))
        .isEqualTo(new SessionTotals(Map.of("completed", 3L, "lost", 1L), 2_500, 40));
    assertThat(view.totals(T.plusSeconds(99)).sessions()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // The permit comes before the agent, whichever clock is ahead.
        "item.changed@0, session.spawned@44106:s1, session.requested@40000,"
            + " session.failed@90000:s1, session.leaseEnded@89000:s1, session.identified@44300:s1,"
            + " session.claimed@47500:s1, session.hung@46000:s1 | item.changed, session.requested,"
            + " session.claimed, session.spawned, session.identified, session.hung,"
            + " session.leaseEnded, session.failed",
        // Attempts and changes of the item stay in the order of time.
        "session.claimed@1:s1, session.timedOut@2:s1, item.deferred@3, item.changed@4,"
            + " session.claimed@5:s2, session.spawned@6:s2"
            + " | session.claimed, session.timedOut, item.deferred, item.changed, session.claimed,"
            + " session.spawned",
      })
  void aTimelineIsInTheOrderOfWhatLeadsToWhat(String happened, String shown) {
    for (String event : happened.split(", ")) {
      String[] parts = event.split("[@:]");
      EventType type = EventType.ofType("flyball." + parts[0] + ".v1").orElseThrow();
      String session = parts.length > 2 ? parts[2] : null;
      Instant at = T.plusMillis(Long.parseLong(parts[1]));
      says(type, "a/b/1", at, EventData.EMPTY.with(Field.SESSION, session));
    }

    assertThat(view.item("a/b/1").orElseThrow().events())
        .extracting(ItemStory.Event::name)
        .containsExactly(shown.split(", "));
  }

  @Test
  @DisplayName("a source has its last poll and the next one (S0-31)")
  void aSourceHasItsLastPollAndTheNextOne() {
    poll(EventType.POLL_STARTED, "p1", 0, next(60));
    assertThat(view.sources().getFirst().next()).as("after one poll").isEqualTo(T.plusSeconds(60));
    poll(EventType.POLL_FINISHED, "p1", 2, EventData.EMPTY.with(Field.LINES, 5, Field.CHANGED, 3));
    poll(EventType.POLL_STARTED, "p2", 45, next(105));
    poll(EventType.POLL_FAILED, "p2", 61, EventData.EMPTY.with(Field.CATEGORY, "auth"));
    poll(EventType.POLL_SKIPPED, "other", 62, EventData.EMPTY.with(Field.CATEGORY, "lease"));

    SourceStatus source = view.sources().getFirst();

    assertThat(source.source()).isEqualTo("a/b");
    assertThat(source.last().result()).isEqualTo("failed");
    assertThat(source.last().tookMs()).isEqualTo(16_000);
    assertThat(source.lastSuccess()).isEqualTo(T.plusSeconds(2));
    assertThat(source.next()).isEqualTo(T.plusSeconds(105));
    assertThat(source.breaker()).isEqualTo("closed");
    assertThat(view.polls("a/b", 9)).extracting(PollRow::changed).containsExactly(0L, 0L, 3L);
    assertThat(view.polls("a/b", 9)).extracting(PollRow::lines).containsExactly(null, null, 5L);

    Instant until = T.plusSeconds(600);
    poll(
        EventType.BREAKER_OPENED,
        "p2",
        61,
        EventData.EMPTY.with(Field.UNTIL, until.toString()).with(Field.REASON, "401"));
    assertThat(view.sources().getFirst())
        .extracting(SourceStatus::breaker, SourceStatus::next, SourceStatus::reason)
        .containsExactly("open", until, "401");
    poll(EventType.BREAKER_CLOSED, "p2", 70, EventData.EMPTY);
    assertThat(view.sources().getFirst().breaker()).isEqualTo("closed");
  }

  @Test
  void pollsOfASourceAreBounded() {
    for (int n = 0; n < 106; n++) {
      poll(EventType.POLL_STARTED, "p" + n, n, EventData.EMPTY);
    }

    assertThat(view.polls("a/b", 1_000)).hasSize(100);
  }

  @Test
  void theEndOfAPauseThatIsNoLongerKeptHasEffect() {
    var pause = new LedgerEntry.Pause("tenant:a", null, -1, "ann", "long");
    var resume = new LedgerEntry.Resume("tenant:a", 7, "bob", "done");
    Instant later = T.plus(Projection.EVENTS_KEPT).plusSeconds(60);
    projection.commit(() -> {
      projection.ledger.entry(pause, 7, T);
      projection.asOf(later);
      projection.ledger.entry(resume, 9, later);
    });

    assertThat(view.actions(10, null))
        .singleElement()
        .satisfies(action -> assertThat(action.applied()).isTrue());
  }

  @Test
  void theNewestDeadLettersAreKeptAndPaged() {
    projection.commit(() -> {
      for (int n = 0; n < Projection.LETTERS_KEPT + 3; n++) {
        var letter = new DeadLetter("r" + n, "work-items", 1, n, "{", "triage", T.plusSeconds(n));
        projection.deadLetter(
            new ConsumerRecord<>(
                "letters", 0, n, n % 2 == 0 ? "a/b/" + n : null, RecordJson.bytes(letter)));
      }
    });

    assertThat(view.deadLetters(5_000, null)).hasSize(Projection.LETTERS_KEPT);
    List<DeadLetterRow> first = view.deadLetters(2, null);
    assertThat(first)
        .extracting(DeadLetterRow::reason, DeadLetterRow::key)
        .containsExactly(tuple("r1002", "a/b/1002"), tuple("r1001", null));
    assertThat(view.deadLetters(1, first.getLast().place()))
        .extracting(DeadLetterRow::reason)
        .containsExactly("r1000");
    assertThat(view.summary().deadLetters()).as("all that were seen").isEqualTo(1_003);

    projection.commit(() -> projection.asOf(T.plusSeconds(1_000).plus(Projection.EVENTS_KEPT)));
    assertThat(view.deadLetters(5_000, null)).hasSize(3);
  }

  @Test
  @DisplayName("an operator's entry that the ledger ignored is shown as not applied")
  void actionsAreListedWithTheirEffect() {
    command(EventType.COMMAND_DONE, "c1", 1, "retry");
    command(EventType.COMMAND_REFUSED, "c2", 2, "cancel");
    var entries = new ArrayList<LedgerEntry>();
    entries.add(new LedgerEntry.Init(3, 45_000, List.of()));
    entries.add(new LedgerEntry.Resume("tenant:a", -1, "ann", "nothing is paused"));
    entries.add(new LedgerEntry.Pause("tenant:a", null, -1, "ann", "release"));
    entries.add(new LedgerEntry.Pause("tenant:a", null, -1, "bob", "had not seen hers"));
    entries.add(new LedgerEntry.Resume("tenant:a", 2, "bob", "done"));
    entries.add(new LedgerEntry.Cap("global", 5, 0, "ann", "night"));
    entries.add(new LedgerEntry.Budget("global", new Limits(1_500_000L, null), 5, "ann", "month"));
    var effects = new ArrayList<Boolean>();
    for (int n = 0; n < entries.size(); n++) {
      LedgerState before = ledger;
      ledger = ledger.fold(entries.get(n), n, T.plusSeconds(10 + n)).state();
      effects.add(!ledger.digest().equals(before.digest()));
      int offset = n;
      projection.commit(
          () -> projection.ledger.entry(entries.get(offset), offset, T.plusSeconds(10 + offset)));
    }

    List<OperatorAction> actions = view.actions(100, null);

    assertThat(actions.stream().filter(it -> it.id().startsWith("ledger")).toList().reversed())
        .extracting(OperatorAction::applied)
        .as("as the ledger's own fold decides")
        .isEqualTo(effects.subList(1, effects.size()));
    assertThat(actions)
        .extracting(OperatorAction::who, OperatorAction::what, OperatorAction::detail)
        .contains(
            tuple("ann", "budget", "1.5 USD a day"),
            tuple("ann", "cap", "5"),
            tuple("eve", "retry", "dead -> new"),
            tuple("eve", "cancel", "dead"));
    assertThat(view.actions(2, actions.get(1).id())).isEqualTo(actions.subList(2, 4));
  }

  @Test
  void spendOfTheDayIsThatOfTheLedger() {
    fold(new LedgerEntry.Init(3, 45_000, List.of()));
    fold(new LedgerEntry.Budget("global", new Limits(1_000_000L, null), 0, "ann", "month"));
    fold(new LedgerEntry.Spend("a", "t1", 900_000, 7));

    assertThat(view.spend(T))
        .isEqualTo(
            new DaySpend(
                900_000,
                7,
                List.of(new DaySpend.Budget("global", 900_000, 1_000_000L, 7, null)),
                Map.of()));
    assertThat(view.spend(T.plusSeconds(86_400)).todayMicros()).as("the next day").isZero();
  }

  private void session(EventType type, String id, int second, EventData data) {
    says(type, "a/b/1", T.plusSeconds(second), data.with(Field.SESSION, id));
  }

  private void poll(EventType type, String poll, int second, EventData data) {
    says(type, "a/b", T.plusSeconds(second), data.with(Field.POLL, poll));
  }

  private static EventData next(int second) {
    return EventData.EMPTY.with(Field.NEXT, T.plusSeconds(second).toString());
  }

  private void command(EventType type, String id, int second, String command) {
    says(
        type,
        "a/b/1",
        T.plusSeconds(second),
        EventData.EMPTY
            .with(Field.COMMAND, command)
            .with(Field.COMMAND_ID, id)
            .with(Field.WHO, "eve")
            .with(Field.REASON, "why")
            .with(Field.BEFORE, "dead")
            .with(Field.AFTER, type == EventType.COMMAND_DONE ? "new" : null));
  }

  @Test
  void scopesOfOneKindAreOneFigure() {
    fold(new LedgerEntry.Pause("tenant:a", null, -1, "ann", "audit"));
    fold(new LedgerEntry.Pause("tenant:b", null, -1, "ann", "audit"));

    assertThat(Figures.KINDS)
        .extracting(kind -> Figures.pauses(ledger, kind, T))
        .containsExactly(0L, 2L, 0L, 0L);
  }

  @Test
  void theFullestBudgetOfAKindCounts() {
    fold(new LedgerEntry.Budget("tenant:a", new Limits(10_000_000L, 100L), -1, "ann", "b"));
    fold(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    fold(new LedgerEntry.Spend("a", "batch-1", 1_000_000, 90));
    fold(new LedgerEntry.Spend("b", "batch-2", 500_000, 90));

    assertThat(Figures.budgetUsed(ledger, "tenant", T)).isEqualTo(0.9);
    assertThat(Figures.budgetUsed(ledger, "source", T)).isZero();
  }

  @Test
  void aBudgetThatLeavesLessThanASessionReservesIsSpent() {
    fold(new LedgerEntry.Budget("tenant:a", new Limits(1_000_000L, null), -1, "ann", "b"));
    fold(new LedgerEntry.Budget("tenant:b", new Limits(1_000_000L, null), -1, "ann", "b"));
    fold(new LedgerEntry.Budget("tenant:c", new Limits(0L, null), -1, "ann", "none paid"));
    fold(new LedgerEntry.Spend("a", "batch-1", 600_000, 0));
    fold(new LedgerEntry.Spend("b", "batch-2", 1_000_000, 0));

    assertThat(spent("tenant", 400_000)).isEqualTo(1);
    assertThat(spent("tenant", 500_000)).isEqualTo(2);
    assertThat(spent("global", 500_000)).isZero();
  }

  private long spent(String kind, long reserve) {
    return Figures.budgetsSpent(ledger, kind, reserve, T);
  }

  private static final String END =
      "outcome, reason, waiting_ms, running_ms, exit_code, signal, processes_peak, survivors";

  @Test
  void aSessionGathersWhatItsEventsSay() {
    says(EventType.SESSION_CLAIMED, EventData.EMPTY.with(Field.RUNNER, "r1"));
    says(
        EventType.SESSION_SPAWNED,
        EventData.EMPTY
            .with(Field.PID, 42, Field.LEVEL, "A")
            .with(Field.AGENT, "scout", Field.ATTEMPT, 2));
    says(
        EventType.SESSION_PROGRESSED,
        EventData.EMPTY
            .with(Field.INPUT_TOKENS, 100, Field.OUTPUT_TOKENS, 20)
            .with(Field.COST_MICROS, 5_000, Field.LIMIT_MS, 25_000)
            .with(Field.PROCESSES, 3, Field.DOING, "Read"));
    says(EventType.SESSION_PROGRESSED, EventData.EMPTY.with(Field.TOKENS, 9, Field.COST_MICROS, 8));

    assertThat(row("item, tenant, runner, pid, level, processes, doing, hung, tokens, cost_micros"))
        .isEqualTo("a/b/1 a r1 42 A 3 Read 0 120 5000");
    assertThat(row("attempt, started_at, agent, profile, model, limit_ms, outcome"))
        .isEqualTo("2 2026-11-21T10:00:00.000000000Z scout null null 25000 null");
  }

  @Test
  @DisplayName("S1-3: hung is a separate state, and ends with the next output of the agent")
  void silenceIsShownAndRecovers() {
    says(EventType.SESSION_HUNG, EventData.EMPTY);
    says(EventType.SESSION_PROGRESSED, EventData.EMPTY.with(Field.OUTPUT_AGE_MS, 130_000));
    assertThat(row("hung, progress_at"))
        .as("its runner spoke, not the agent")
        .isEqualTo("1 2026-11-21T09:57:50.000000000Z");

    says(EventType.SESSION_RECOVERED, EventData.EMPTY);
    assertThat(row("hung, progress_at")).isEqualTo("0 2026-11-21T10:00:00.000000000Z");
  }

  @Test
  void aTerminalEndsItAndNothingAfterItCounts() {
    says(EventType.SESSION_HUNG, EventData.EMPTY);
    says(
        EventType.SESSION_FAILED,
        EventData.EMPTY
            .with(Field.OUTCOME, "failed", Field.REASON, "exit 3")
            .with(Field.WAITING_MS, 10, Field.RUNNING_MS, 2_000)
            .with(Field.EXIT_CODE, 3)
            .with(Field.RECEIPT, new Receipt("A", 4, 1_000, List.of("TERM"), 0)));
    says(EventType.SESSION_COMPLETED, EventData.EMPTY.with(Field.SIGNAL, 9));
    says(EventType.SESSION_PROGRESSED, EventData.EMPTY.with(Field.TOKENS, 9));

    assertThat(row(END)).isEqualTo("failed exit 3 10 2000 3 null 4 0");
    assertThat(row("hung, tokens")).isEqualTo("0 0");
  }

  @Test
  void theOutcomeIsInTheTypeToo() {
    says(EventType.SESSION_HUNG, EventData.EMPTY.with(Field.REASON, "silent"));
    says(EventType.SESSION_LOST, EventData.EMPTY.with(Field.RECEIPT, Receipt.unknown()));

    assertThat(row("outcome, reason, survivors")).isEqualTo("lost null null");
  }

  private void says(EventType type, EventData data) {
    session(type, "s1", 0, data);
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
