package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.triage.Verdict;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RunTallyTest {
  private static final Instant AT = Instant.parse("2026-02-10T08:00:00Z");
  private static final String KEY = "default/items/1";
  private final RunTally tally = new RunTally();

  @Test
  void nothingAtAllIsSettled() {
    assertThat(tally.settled()).isTrue();
  }

  @Test
  void aPublishedSnapshotIsOpenUntilTriageHasTakenItIn() {
    tally.workItem(KEY, snapshot("a"), 2, 10, true);
    assertThat(tally.settled()).isFalse();

    tally.state(KEY, state("old", 9, new ItemPhase.Skipped("vague")), true);
    assertThat(tally.settled()).isFalse();

    tally.state(KEY, state("a", 10, new ItemPhase.Skipped("vague")), true);
    assertThat(tally.settled()).isTrue();
  }

  @Test
  void aDuplicateIsSettledOnceTriageHasSaidSoAndNotBefore() {
    tally.state(KEY, state("a", 3, new ItemPhase.Analyzed("s")), false);
    tally.workItem(KEY, snapshot("a"), 2, 10, true);
    assertThat(tally.settled()).isFalse();

    tally.event(
        new LifecycleEvent("e", EventType.ITEM_DUPLICATE, "/triage", KEY, AT, EventData.EMPTY),
        true);
    assertThat(tally.settled()).isTrue();
  }

  @Test
  void aForgottenItemsOldRecordIsNotWaitedForAndItsNewOneIs() {
    tally.workItem(KEY, snapshot("a"), 2, 10, false);
    tally.event(
        new LifecycleEvent("f", EventType.ITEM_FORGOTTEN, "/triage", KEY, AT, EventData.EMPTY),
        false);
    assertThat(tally.settled()).isTrue();

    tally.workItem(KEY, snapshot("b"), 2, 11, true);
    assertThat(tally.settled()).isFalse();
    tally.event(changed(KEY), true);
    assertThat(tally.settled()).as("heard of, and its state is on its way").isFalse();
  }

  @Test
  void whatAnEarlierRunLeftUnfinishedKeepsThisRunGoing() {
    tally.state(KEY, state("a", 3, new ItemPhase.Triaging("t", 1, AT, AT)), false);

    assertThat(tally.settled()).isFalse();
    assertThat(tally.items()).as("work ahead, whoever began it").isEqualTo(1);
  }

  @Test
  void theReportTellsWhatAnEarlierRunLeftFromWhatChangedAndLeavesOutTheRest() {
    tally.state(KEY, state("a", 3, new ItemPhase.Triaging("t", 1, AT, AT)), false);
    tally.state("default/items/2", state("b", 4, new ItemPhase.Triaging("t", 1, AT, AT)), false);
    tally.state("default/items/2", state("b", 4, new ItemPhase.Analyzed("s")), false);
    tally.state(KEY, state("a", 3, new ItemPhase.Skipped("vague")), true);
    tally.workItem("default/items/3", snapshot("c"), 2, 10, true);
    tally.event(changed("default/items/3"), true);
    tally.state("default/items/3", state("c", 10, new ItemPhase.Analyzed("s3")), true);

    assertThat(tally.settled()).isTrue();
    assertThat(tally.changed()).isEqualTo(Map.of("analyzed", 1));
    assertThat(tally.continued()).isEqualTo(Map.of("skipped", 1));
    RunReport report = tally.report(new RunTally.Polled(3, 3, 0, 2), 1, 5);
    assertThat(report.settled()).isEqualTo(Map.of("analyzed", 1, "skipped", 1));
    assertThat(report.continued()).isEqualTo(1);
    assertThat(tally.rows()).extracting(RunRow::key).containsExactly(KEY, "default/items/3");
  }

  @Test
  void theLastLineSaysNothingOfWhatDidNotHappen() {
    RunReport report = tally.report(new RunTally.Polled(1, 1, 0, 1), 0, 100);

    assertThat(RunPresenter.line(tally, report))
        .isEqualTo("1 item: nothing changed; sessions: no session; triage calls: 0; 0.1 s");
    assertThat(Progress.line(tally, AT)).isEqualTo("nothing has changed so far");
  }

  @Test
  void anItemThatIsOnlyFoundUnchangedIsNoneOfThisRun() {
    tally.state(KEY, state("a", 3, new ItemPhase.Analyzed("s")), false);
    tally.workItem(KEY, snapshot("a"), 2, 10, true);
    assertThat(tally.items()).as("until triage has said so").isEqualTo(1);

    tally.event(
        new LifecycleEvent("e", EventType.ITEM_DUPLICATE, "/triage", KEY, AT, EventData.EMPTY),
        true);
    tally.state(KEY, state("a", 10, new ItemPhase.Analyzed("s")), true);

    assertThat(tally.items()).isZero();
    assertThat(tally.rows()).isEmpty();
  }

  @Test
  void onlyAnAttemptThatIsStillToComeIsAnnounced() {
    var verdict = new Verdict("t", true, 3, List.of(), 2, "why", "rules/1", "b", 0);
    Instant due = AT.plusSeconds(30);
    var failed = new ItemPhase.Failed(ItemPhase.Attempts.FIRST, verdict, due, "interrupted");
    tally.state(KEY, state("a", 3, failed), false);

    assertThat(tally.nextDue(AT)).contains(due);
    assertThat(tally.nextDue(due)).isEmpty();
    assertThat(tally.nextDue(due.plusSeconds(60))).isEmpty();
  }

  @Test
  void aSessionThatAnEarlierRunBeganIsCalledSo() {
    claim("s1");
    tally.begins();
    release("s1");
    tally.event(terminal("s1"), true);

    assertThat(tally.sessionsLine()).isEqualTo("1 completed, 1 of them begun by an earlier run");
  }

  @Test
  void anOpenLeaseAndAClaimWithoutATerminalKeepItGoing() {
    claim("s1");
    assertThat(tally.settled()).isFalse();

    release("s1");
    assertThat(tally.settled()).as("released, its terminal still to come").isFalse();

    tally.event(terminal("s1"), true);
    assertThat(tally.settled()).isTrue();
    assertThat(tally.report(new RunTally.Polled(1, 1, 0, 0), 1, 5).sessions())
        .containsEntry("completed", 1)
        .containsEntry("lost", 0)
        .hasSize(Outcome.values().length);
  }

  @Test
  void whatIsLeftAtCapZeroWaitsForEver() {
    cap(0);
    tally.workItem(KEY, snapshot("a"), 2, 10, true);
    assertThat(tally.capZero()).as("triage goes on").isFalse();

    tally.state(KEY, state("a", 10, new ItemPhase.Skipped("vague")), true);
    assertThat(tally.capZero()).as("nothing is left").isFalse();

    tally.state(KEY, state("a", 10, queued()), true);
    assertThat(tally.capZero()).isTrue();

    tally.state("default/items/2", state("b", 11, new ItemPhase.New()), true);
    assertThat(tally.capZero()).as("another is on its way").isFalse();
  }

  @Test
  void itemsThatWaitAtAnotherCapWaitForSlots() {
    cap(1);
    tally.workItem(KEY, snapshot("a"), 2, 10, true);
    tally.state(KEY, state("a", 10, queued()), true);

    assertThat(tally.capZero()).isFalse();
  }

  @Test
  void aPauseIsNamedWhileItemsWait() {
    cap(1);
    tally.ledger(new LedgerEntry.Pause("global", null, 0, "ada", "deploy"), 1, AT);
    assertThat(tally.paused(AT)).isEmpty();

    tally.state(KEY, state("a", 10, queued()), true);

    assertThat(tally.paused(AT)).contains("global is paused by ada: deploy");
  }

  @Test
  void eventsOfEarlierRunsAreNotCounted() {
    tally.event(terminal("old"), false);

    assertThat(tally.report(new RunTally.Polled(0, 0, 0, 0), 1, 5).sessions())
        .containsEntry("completed", 0);
  }

  @Test
  void triageCallsAreBatchesNotItems() {
    tally.event(triaged("b1"), true);
    tally.event(triaged("b1"), true);
    tally.event(triaged("b2"), true);

    assertThat(tally.report(new RunTally.Polled(3, 3, 0, 0), 1, 5).triageCalls()).isEqualTo(2);
  }

  private void cap(int cap) {
    tally.ledger(new LedgerEntry.Init(cap, 45_000, List.of()), 0, AT);
  }

  private static ItemPhase queued() {
    return new ItemPhase.Queued(
        new ItemPhase.Outstanding("r", ItemPhase.Attempts.FIRST, AT, null),
        new Verdict("t", true, 3, List.of(), 2, "why", "rules/1", "b", 0));
  }

  private void claim(String session) {
    cap(3);
    tally.ledger(
        new LedgerEntry.Claim(
            "r1",
            new LedgerEntry.Position(0, 0),
            1,
            ItemKey.parse(KEY),
            1,
            session,
            "runner",
            null,
            1,
            0),
        1,
        AT);
  }

  private void release(String session) {
    tally.ledger(
        new LedgerEntry.Release(
            session,
            Outcome.COMPLETED,
            null,
            null,
            0,
            null,
            Timings.ZERO,
            0,
            0,
            Receipt.notStarted()),
        2,
        AT);
  }

  private static LifecycleEvent terminal(String session) {
    return new LifecycleEvent(
        session + "-end",
        EventType.SESSION_COMPLETED,
        "/triage",
        KEY,
        AT,
        EventData.EMPTY.with(Field.SESSION, session).with(Field.OUTCOME, "completed"));
  }

  private static LifecycleEvent changed(String key) {
    return new LifecycleEvent("e", EventType.ITEM_CHANGED, "/triage", key, AT, EventData.EMPTY);
  }

  private static LifecycleEvent triaged(String batch) {
    return new LifecycleEvent(
        "e", EventType.ITEM_TRIAGED, "/triage", KEY, AT, EventData.EMPTY.with(Field.BATCH, batch));
  }

  static ItemState state(String content, long offset, ItemPhase phase) {
    return new ItemState(
        ItemState.SCHEMA,
        snapshot(content),
        new ItemState.Position(2, offset),
        null,
        phase,
        null,
        List.of(),
        0,
        0L,
        AT);
  }

  private static Snapshot snapshot(String content) {
    return new Snapshot(
        "1",
        "title",
        content,
        "Active",
        false,
        "Bug",
        2,
        List.of(),
        null,
        null,
        null,
        true,
        new Fingerprint("1:text", content));
  }
}
