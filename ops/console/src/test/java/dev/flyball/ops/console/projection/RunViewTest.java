package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A run, as the rows that the projection made since it began show it. */
final class RunViewTest extends ProjectionFixture {
  private static final String KEY = "default/items/1";
  private static final String OTHER = "default/items/2";
  private static final Set<String> NONE = Set.of();

  @AutoClose private RunView run;

  RunViewTest() {
    super(Integer.MAX_VALUE, 10);
  }

  @BeforeEach
  void begin() {
    run = RunView.begin(folder);
  }

  @Test
  void anItemIsOpenUntilTriageHasProcessedItsSnapshot() {
    assertThat(run.status(NONE).settled()).as("nothing at all").isTrue();
    assertThat(run.status(Set.of(KEY)).settled()).isFalse();
    assertThat(run.status(Set.of(KEY)).states(_ -> true)).isEqualTo(Map.of("seen", 1));

    put(KEY, new ItemPhase.Skipped("vague"));
    assertThat(run.status(Set.of(KEY)).settled()).as("an older state").isFalse();
    assertThat(run.status(NONE).settled()).isTrue();
  }

  @Test
  void aForgottenItemIsSettledAndHasNoResult() {
    says(EventType.ITEM_CHANGED, KEY, T, EventData.EMPTY);
    put(KEY, new ItemPhase.Skipped("vague"));
    says(EventType.ITEM_FORGOTTEN, KEY, T, EventData.EMPTY);
    put(KEY, null);

    assertThat(run.status(NONE).settled()).isTrue();
    assertThat(run.rows(run.status(NONE))).isEmpty();
  }

  @Test
  void aSnapshotThatWaitsForTheEndOfASessionKeepsItemsUnsettled() {
    ItemState cancelled = state(new ItemPhase.Cancelled("enough"), T);
    var pending = new ItemState.Pending(Sample.snapshot(), new Position(2, 11));
    projection.commit(
        () -> projection.items.put(KEY, Sample.with(cancelled, Map.of("pending", pending))));

    assertThat(run.status(NONE).settled()).isFalse();
  }

  @Test
  void whatAnEarlierRunLeftIsSeparateFromWhatChanged() {
    put(KEY, new ItemPhase.Triaging("t", 1, 1, T, T));
    put(OTHER, new ItemPhase.Analyzed("s"));
    again();
    assertThat(run.status(NONE).settled()).isFalse();
    assertThat(run.status(NONE).items()).as("work ahead, whichever run began it").hasSize(1);

    put(KEY, new ItemPhase.Skipped("vague"));
    says(EventType.ITEM_CHANGED, "default/items/3", T, EventData.EMPTY);
    put("default/items/3", new ItemPhase.Analyzed("s3"));

    RunView.Status status = run.status(NONE);

    assertThat(status.settled()).isTrue();
    assertThat(status.states(RunView.Status.Item::changed)).isEqualTo(Map.of("analyzed", 1));
    assertThat(status.states(RunView.Status.Item::continued)).isEqualTo(Map.of("skipped", 1));
    assertThat(status.states(_ -> true)).isEqualTo(Map.of("analyzed", 1, "skipped", 1));
    assertThat(run.rows(status)).extracting(ItemRow::key).containsExactly(KEY, "default/items/3");
  }

  @Test
  void anItemThatIsOnlyFoundUnchangedIsNoneOfThisRun() {
    put(KEY, new ItemPhase.Analyzed("s"));
    again();
    assertThat(run.status(Set.of(KEY)).items()).as("until triage has processed it").hasSize(1);

    says(EventType.ITEM_DUPLICATE, KEY, T, EventData.EMPTY);

    assertThat(run.status(NONE).items()).isEmpty();
    assertThat(run.figures().count(EventType.ITEM_DUPLICATE)).isEqualTo(1);
  }

  @Test
  void onlyAnAttemptThatIsStillToComeIsAnnounced() {
    Instant due = T.plusSeconds(30);
    put(KEY, new ItemPhase.Failed(ItemPhase.Attempts.FIRST, Sample.verdict(), due, "interrupted"));

    RunView.Status status = run.status(NONE);

    assertThat(status.nextDue(T)).contains(due);
    assertThat(status.nextDue(due)).isEmpty();
    assertThat(status.nextDue(due.plusSeconds(60))).isEmpty();
  }

  @Test
  void anOpenLeaseKeepsItGoing() {
    cap(3);
    fold(Sample.claim(KEY, "r1", "s1"));
    assertThat(run.status(NONE).settled()).isFalse();

    fold(Sample.release("s1"));
    assertThat(run.status(NONE).settled()).isTrue();
  }

  @Test
  void whatIsLeftAtCapZeroWaitsForEver() {
    cap(0);
    assertThat(run.status(Set.of(KEY)).capZero()).as("triage goes on").isFalse();

    put(KEY, new ItemPhase.Skipped("vague"));
    assertThat(run.status(NONE).capZero()).as("no item waits").isFalse();

    put(KEY, queued());
    assertThat(run.status(NONE).capZero()).isTrue();
    cap(1);
    assertThat(run.status(NONE).capZero()).as("it waits for a slot").isFalse();
    cap(0);

    put(OTHER, new ItemPhase.New());
    assertThat(run.status(NONE).capZero()).as("another is on its way").isFalse();
  }

  @Test
  void aPauseIsNamedWhileItemsWait() {
    cap(1);
    fold(new LedgerEntry.Pause("global", null, 0, "ada", "deploy"));
    assertThat(run.status(NONE).paused(T)).isEmpty();

    put(KEY, queued());

    assertThat(run.status(NONE).paused(T)).contains("global is paused by ada: deploy");
  }

  @Test
  @DisplayName(
      "of sessions, analyses and calls only those of this run, also of sessions begun before")
  void theFiguresAreThoseOfThisRun() {
    cap(3);
    fold(Sample.claim(KEY, "r1", "s1"));
    terminal("old", 5);
    happened("1", "b0");
    again();
    assertThat(run.status(NONE).items()).isEmpty();
    assertThat(run.figures()).isEqualTo(new RunView.Figures(Map.of(), 0, 0, 0, 0));

    fold(Sample.release("s1"));
    terminal("s1", 5);
    terminal("s2", 7);
    happened("2", "b1");
    says(EventType.ITEM_TRIAGED, KEY, T, EventData.EMPTY.with(Field.BATCH, "b1"));
    says(EventType.ITEM_TRIAGED, KEY, T, EventData.EMPTY.with(Field.BATCH, "b2"));

    Map<String, Long> events =
        Map.of(
            EventType.ITEM_CHANGED.type(), 1L,
            EventType.ITEM_TRIAGED.type(), 3L,
            EventType.SESSION_COMPLETED.type(), 2L);
    assertThat(run.figures()).isEqualTo(new RunView.Figures(events, 2, 1, 1, 12));
    assertThat(run.status(NONE).states(RunView.Status.Item::changed))
        .isEqualTo(Map.of("analyzed", 1));
  }

  /** An item changes, is triaged and analyzed. */
  private void happened(String analysis, String batch) {
    says(EventType.ITEM_CHANGED, KEY, T, EventData.EMPTY);
    says(EventType.ITEM_TRIAGED, KEY, T, EventData.EMPTY.with(Field.BATCH, batch));
    put(KEY, new ItemPhase.Analyzed("s"));
    projection.commit(() -> projection.items.analysis(KEY, Sample.analysis(analysis, "s", "t:1")));
  }

  @Test
  void givenUpItemsOfTheFolderAreNamedWithTheirReasons() {
    put(OTHER, new ItemPhase.Dead("too large"));
    again();
    put(KEY, new ItemPhase.Dead("3 attempts failed"));

    assertThat(run.all().items(new ItemFilter("dead", null, null, 9)))
        .extracting(ItemRow::key, ItemRow::reason)
        .containsExactly(tuple(KEY, "3 attempts failed"), tuple(OTHER, "too large"));
  }

  /** Ends the run and begins another one over the same folder. */
  private void again() {
    run.close();
    run = RunView.begin(folder);
  }

  private void terminal(String session, long costMicros) {
    says(
        EventType.SESSION_COMPLETED,
        KEY,
        T,
        EventData.EMPTY
            .with(Field.SESSION, session)
            .with(Field.OUTCOME, "completed")
            .with(Field.COST_MICROS, costMicros));
  }

  private void cap(int cap) {
    ledger = LedgerState.empty();
    fold(new LedgerEntry.Init(cap, 45_000, List.of()));
  }

  private static ItemPhase queued() {
    return new ItemPhase.Queued(
        new ItemPhase.Outstanding("r", ItemPhase.Attempts.FIRST, T, null, null), Sample.verdict());
  }
}
