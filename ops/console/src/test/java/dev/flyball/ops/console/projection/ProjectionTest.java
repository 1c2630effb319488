package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.ops.console.ConsoleView;
import dev.flyball.ops.console.projection.Permits.Started;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.view.RunningSession.KnownSession;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.sqlite.Database;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProjectionTest extends ProjectionFixture {
  private static final TopicPartition EVENTS = new TopicPartition("flyball.session-events", 3);

  ProjectionTest() {
    super(3, 2);
  }

  @Test
  void anItemIsShownWithItsStateWhileTheConsoleWrites() {
    put("a/b/1", new ItemPhase.New());
    projection.commit(() ->
        projection.items.put("a/b/1", state(new ItemPhase.Skipped("too vague"), T.plusSeconds(5))));
    projection.commit(
        () -> projection.items.put("a/b/2", state(new ItemPhase.New(), T.plusSeconds(1))));

    assertThat(view.items(ItemFilter.ALL))
        .extracting(ItemRow::state)
        .containsExactly("new", "skipped");
    assertThat(view.items(new ItemFilter("skipped", null, null, 10)))
        .singleElement()
        .satisfies(item -> {
          assertThat(item.reason()).isEqualTo("too vague");
          assertThat(item.waitingSince()).isNull();
        });
    assertThat(view.count(new ItemFilter("dead", null, null, 10))).isZero();
    assertThat(view.keysOf("2")).containsExactly("a/b/2");
    assertThat(view.keysOf("b/2")).containsExactly("a/b/2");
    assertThat(view.keysOf("")).isEmpty();
    assertThat(view.summary().backlog()).isEqualTo(1);
    assertThat(view.summary().oldest()).isEqualTo(T.plusSeconds(1));
    assertThat(view.summary().items()).isEqualTo(Map.of("new", 1L, "skipped", 1L));
  }

  @Test
  void anItemWaitsSinceItBeganToAndNotSinceItsLastStep() {
    put("a/b/1", new ItemPhase.New());
    projection.commit(() ->
        projection.items.put(
            "a/b/1", state(new ItemPhase.Triaging("t", 1, 1, T, T), T.plusSeconds(60))));

    assertThat(view.summary().oldest()).isEqualTo(T);
  }

  @Test
  void anItemRunsFromItsClaimOnAndNotOnlySinceTheLedgersStateIsStored() {
    ledger = ledger.fold(new LedgerEntry.Init(3, 45_000, List.of()), 0, T).state();
    ledger = ledger.fold(Sample.claim("a/b/1", "q1", "s1"), 1, T).state();
    put("a/b/1", new ItemPhase.New());
    projection.commit(() -> projection.ledger.put(ledger, T));

    assertThat(view.why("a/b/1", T, Map.of()).orElseThrow().reasons())
        .extracting(ItemStatus.Reason::reason)
        .containsExactly(ItemStatus.Word.RUNS);
  }

  @Test
  void aForgottenItemIsGone() {
    put("a/b/1", new ItemPhase.New());
    projection.commit(() -> projection.items.analysis("a/b/1", analysis("old")));
    projection.commit(() -> projection.items.analysis("a/b/1", analysis("new")));
    assertThat(view.analysis("a/b/1")).hasValue(analysis("new"));
    put("a/b/1", null);

    assertThat(view.item("a/b/1")).isEmpty();
    assertThat(view.analysis("a/b/1")).isEmpty();
  }

  @Test
  void aTimelineIsBoundedAndProgressIsNoPartOfIt() {
    for (int i = 0; i < 5; i++) {
      int n = i;
      projection.commit(() -> {
        projection.event(session(EventType.SESSION_HUNG, "s1", "h" + n), T);
        projection.event(session(EventType.SESSION_PROGRESSED, "s1", "p" + n), T);
      });
    }

    ItemStory story = view.item("a/b/1").orElseThrow();

    assertThat(story.events())
        .extracting(event -> event.data().path("reason").asText())
        .containsExactly("h2", "h3", "h4");
  }

  @Test
  void endedSessionsAreCountedOnceAndBounded() {
    for (String session : List.of("s1", "s2", "s3")) {
      projection.commit(
          () -> projection.event(session(EventType.SESSION_COMPLETED, session, ""), T));
    }
    projection.commit(() -> projection.event(session(EventType.SESSION_COMPLETED, "s3", ""), T));

    assertThat(view.summary().ended()).isEqualTo(Map.of("completed", 3L));
    assertThat(view.ended(10, null)).hasSizeBetween(2, 3);
  }

  @Test
  @DisplayName("what dedup and triage saved is what an analysis has cost on average until then")
  void savedMoneyIsEstimated() {
    EventData byTriage = EventData.EMPTY.with(Field.MODEL, "haiku");
    says(EventType.ITEM_DUPLICATE, EventData.EMPTY, T);
    assertThat(projection.figure().counters())
        .as("nothing to go by")
        .doesNotContainKey("saved:dedup");

    says(
        EventType.SESSION_COMPLETED,
        EventData.EMPTY.with(Field.COST_MICROS, 300),
        T.plusSeconds(1));
    says(EventType.ITEM_TRIAGED, EventData.EMPTY.with(Field.COST_MICROS, 100), T.plusSeconds(2));
    says(EventType.ITEM_DUPLICATE, EventData.EMPTY, T.plusSeconds(3));
    says(EventType.ITEM_DUPLICATE, EventData.EMPTY, T.plusSeconds(4));
    says(EventType.ITEM_SKIPPED, byTriage, T.plusSeconds(5));
    says(EventType.ITEM_SKIPPED, EventData.EMPTY, T.plusSeconds(6));

    assertThat(projection.figure().counters())
        .containsEntry("saved:dedup", 800L)
        .containsEntry("saved:triage", 400L);
  }

  @Test
  @DisplayName("MC-10, S2-1: what the dashboards show is counted, takeovers of long ago are not")
  void rareEventsAreCounted() {
    EventData expired = EventData.EMPTY.with(Field.ENDED_BY, "expired");
    says(EventType.SESSION_HUNG, EventData.EMPTY, T);
    says(EventType.SESSION_HUNG, EventData.EMPTY, T);
    says(EventType.SESSION_KILLED, EventData.EMPTY.with(Field.SURVIVORS, 1), T);
    says(EventType.SESSION_KILLED, EventData.EMPTY.with(Field.SURVIVORS, 0), T);
    says(EventType.ITEM_ROTATED, EventData.EMPTY, T);
    says(EventType.ITEM_DEFERRED, EventData.EMPTY, T);
    says(EventType.SESSION_LEASE_ENDED, expired, Instant.now());
    says(EventType.SESSION_LEASE_ENDED, EventData.EMPTY, Instant.now());
    says(EventType.SESSION_LEASE_ENDED, expired, Instant.EPOCH);
    says(EventType.SESSION_COMPLETED, EventData.EMPTY.with(Field.DESERVED, "false"), T);
    says(EventType.SESSION_COMPLETED, EventData.EMPTY.with(Field.DESERVED, "false"), T);

    assertThat(projection.figure().counters())
        .containsEntry("event:hung", 2L)
        .containsEntry("event:killed", 1L)
        .containsEntry("event:rotated", 1L)
        .containsEntry("event:deferred", 1L)
        .containsEntry("takeovers", 1L)
        .containsEntry("deserved:false", 1L);
  }

  @Test
  void rowsAndOffsetsAreCommittedTogetherOrNotAtAll() {
    assertThatThrownBy(() ->
            projection.commit(() -> {
              projection.event(session(EventType.SESSION_COMPLETED, "s1", ""), T);
              projection.readTo(EVENTS, 7);
              throw new IllegalStateException("killed");
            }))
        .hasMessage("killed");
    assertThat(view.summary().ended()).isEmpty();

    projection.commit(() -> {
      assertThat(projection.next(EVENTS)).isEmpty();
      projection.event(session(EventType.SESSION_COMPLETED, "s1", ""), T);
      projection.readTo(EVENTS, 7);
    });
    projection.close();
    projection = new Projection(folder, 3, 2);
    projection.commit(() -> assertThat(projection.next(EVENTS)).hasValue(7L));
    assertThat(view.summary().ended()).isEqualTo(Map.of("completed", 1L));
  }

  @ParameterizedTest
  @CsvSource({
    "t1, 7, false",
    "t2, 7, true",
    "t1, 6, true",
  })
  void theRowsOfAnotherOrATruncatedTopicAreForgotten(String id, long end, boolean forgotten) {
    projection.commit(() -> {
      var _ = projection.belongTo(Map.of("events", "t1"), Map.of());
      projection.event(session(EventType.SESSION_COMPLETED, "s1", ""), T);
      projection.readTo(EVENTS, 7);
    });

    projection.commit(() -> {
      var ids = Map.of("events", id);
      assertThat(projection.belongTo(ids, Map.of(EVENTS, end))).isEqualTo(forgotten);
      assertThat(projection.next(EVENTS).isEmpty()).isEqualTo(forgotten);
      assertThat(projection.belongTo(ids, Map.of(EVENTS, end))).as("once").isFalse();
    });

    assertThat(view.ended(9, null)).hasSize(forgotten ? 0 : 1);
    assertThat(view.summary().ended()).hasSize(forgotten ? 0 : 1);
  }

  @Test
  void anEventIsKeptAsLongAsItsTopicKeepsIt() {
    LifecycleEvent first = session(EventType.SESSION_CLAIMED, "s1", "first");
    LifecycleEvent second =
        new LifecycleEvent(
            "e", first.type(), first.source(), first.subject(), T.plusNanos(1), first.data());
    projection.commit(() -> projection.event(first, T));
    projection.commit(() -> projection.event(second, T));

    projection.commit(() -> projection.asOf(second.time().plus(Projection.EVENTS_KEPT)));

    assertThat(view.item("a/b/1").orElseThrow().events()).hasSize(1);
  }

  @Test
  void anAnswerIsKeptAsAnalysisAndNotInTheTimeline() {
    var data = EventData.EMPTY.with(Field.SESSION, "s1").with(Field.RESULT, Map.of("text", "long"));
    says(EventType.SESSION_RESULT, "a/b/1", T, data);

    assertThat(view.item("a/b/1").orElseThrow().events().getFirst().data().has("result")).isFalse();
    assertThat(view.sessions("s")).containsExactly(new KnownSession("s1", "a/b/1", T, false));
  }

  @Test
  @DisplayName(
      "processes that outlive an ended session are an alarm until their end is reported (INV-5)")
  void survivorsOfEndedSessionsRing() {
    says(EventType.SESSION_KILLED, EventData.EMPTY.with(Field.SURVIVORS, 2), T);
    assertThat(broken(T)).as("it keeps its lease and its slot").isEmpty();

    says(EventType.SESSION_LOST, EventData.EMPTY.with(Field.OUTCOME, "lost"), T.plusSeconds(60));
    assertThat(broken(T.plusSeconds(61)))
        .containsExactly(
            "processes outlive their session: 2 processes, since 2026-11-21T10:00:00Z");

    says(
        EventType.SESSION_ORPHAN_REAPED,
        EventData.EMPTY.with(Field.SURVIVORS, 0),
        T.plusSeconds(90));
    assertThat(broken(T.plusSeconds(91))).isEmpty();
  }

  @Test
  @DisplayName("an alarm that nothing repeats or withdraws ends after an hour")
  void alarmsAreNotForEver() {
    var receipt = new Receipt("A", 3, 0, List.of("KILL"), 1);
    says(EventType.SESSION_FAILED, EventData.EMPTY.with(Field.RECEIPT, receipt), T);
    assertThat(broken(T)).as("its own receipt").singleElement().asString().contains("1 processes");
    says(
        EventType.SESSION_ORPHAN_REAPED,
        EventData.EMPTY.with(Field.SURVIVORS, 3),
        T.plusSeconds(1800));
    assertThat(broken(T.plusSeconds(5399)))
        .containsExactly(
            "processes outlive their session: 3 processes, since 2026-11-21T10:00:00Z");

    assertThat(broken(T.plusSeconds(5401))).isEmpty();
  }

  @Test
  @DisplayName("a second terminal event is an alarm for an hour (INV-6)")
  void secondTerminalsRing() {
    says(EventType.SESSION_LOST, EventData.EMPTY.with(Field.OUTCOME, "lost"), T);
    says(EventType.SESSION_COMPLETED, EventData.EMPTY.with(Field.OUTCOME, "completed"), T);
    assertThat(broken(T))
        .containsExactly("second terminal event: 1 sessions, since 2026-11-21T10:00:00Z");

    assertThat(broken(T.plusSeconds(3601))).isEmpty();
  }

  private void says(EventType type, EventData data, Instant at) {
    says(type, "a/b/1", at, data.with(Field.SESSION, "s1"));
  }

  private List<String> broken(Instant now) {
    projection.commit(() -> projection.ledger.put(LedgerState.empty(), now));
    assertThat(projection.figure().broken())
        .extracting(BrokenInvariant::line)
        .isEqualTo(view.summary().broken());
    return view.summary().broken();
  }

  @Test
  @DisplayName("a file that is no database, or of another schema, is made again")
  void anUnusableFileIsMadeAgain() throws Exception {
    Path bad = Files.createDirectory(folder.resolve("bad"));
    Files.writeString(bad.resolve("console.db"), "no database at all, only text ".repeat(100));
    rebuiltIn(bad);

    Path other = folder.resolve("other-schema");
    try (var earlier = new Projection(other, 1, 1)) {
      earlier.commit(() -> earlier.items.put("a/b/earlier", state(new ItemPhase.New(), T)));
    }
    try (var file = Database.open(other.resolve("console.db"), ProjectionFile.schema(), "")) {
      file.update("PRAGMA user_version = 12");
    }
    assertThatThrownBy(() -> ConsoleView.open(other))
        .as("a reader makes nothing")
        .isInstanceOf(StartFailure.class);
    rebuiltIn(other);
  }

  private static void rebuiltIn(Path data) {
    try (var again = new Projection(data, 1, 1);
        var view = ConsoleView.open(data).orElseThrow()) {
      again.commit(() -> again.items.put("a/b/1", state(new ItemPhase.New(), T)));
      assertThat(view.items(ItemFilter.ALL)).hasSize(1);
    }
  }

  @Test
  @DisplayName("damage that is found later is reported as such, and the file is made again")
  void aFileDamagedInsideIsMadeAgain() throws IOException {
    Path data = folder.resolve("damaged");
    try (var first = new Projection(data, 1_000, 1)) {
      first.commit(() -> {
        for (int n = 0; n < 500; n++) {
          first.event(session(EventType.SESSION_HUNG, "s1", "x".repeat(1_000)), T);
        }
      });
    }
    Path file = data.resolve("console.db");
    byte[] bytes = Files.readAllBytes(file);
    Arrays.fill(bytes, bytes.length / 2, bytes.length, (byte) 'x');
    Files.write(file, bytes);
    var broken = new Projection(data, 1, 1);

    assertThatThrownBy(
            () -> broken.commit(() -> broken.asOf(T.plusSeconds(1).plus(Projection.EVENTS_KEPT))))
        .isInstanceOf(StartFailure.class)
        .satisfies(e -> assertThat(ProjectionFile.damaged(e)).isTrue());

    try (var again = broken.rebuilt()) {
      again.commit(() -> assertThat(again.next(EVENTS)).isEmpty());
    }
  }

  @Test
  void aFolderWithoutAConsoleAndAFileWithoutTablesHaveNoView() throws IOException {
    assertThat(ConsoleView.open(folder.resolve("other"))).isEmpty();
    Path data = Files.createDirectories(folder.resolve("starts"));
    Files.createFile(data.resolve("console.db"));

    assertThat(ConsoleView.open(data)).isEmpty();
  }

  @Test
  void aFolderThatIsNoFileIsNotDeleted() throws IOException {
    Files.createDirectories(folder.resolve("odd").resolve("console.db"));

    assertThatThrownBy(() -> new Projection(folder.resolve("odd"), 1, 1))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("console.db cannot be used");
  }

  private static LifecycleEvent session(EventType type, String session, String reason) {
    var data = EventData.EMPTY.with(Field.SESSION, session).with(Field.REASON, reason);
    return new LifecycleEvent("e", type, "/runner/r1", "a/b/1", T, data);
  }

  static Analysis analysis(String text) {
    return Sample.analysis(text, "s1", "t:1");
  }

  private final Permits permits = new Permits(9);

  @Test
  void aSessionWhoseClaimTookEffectMayStart() {
    permits.claimed(10, "s1");
    permits.started(new Started("s1", 10, T));

    assertThat(permits.without(10)).isEmpty();
  }

  @Test
  @DisplayName("a session without an effective claim is found, once (INV-1)")
  void aSessionWithoutAClaimIsFound() {
    permits.claimed(10, "s1");
    var without = new Started("s2", 11, T);
    var ofAnother = new Started("s3", 10, T);
    permits.started(without);
    permits.started(ofAnother);

    assertThat(permits.without(11)).containsExactly(without, ofAnother);
    assertThat(permits.without(12)).isEmpty();
  }

  @Test
  void aStartIsJudgedOnlyOnceTheLedgerWasReadPastItsClaim() {
    permits.started(new Started("s1", 12, T));
    assertThat(permits.without(11)).isEmpty();

    permits.claimed(12, "s1");
    assertThat(permits.without(12)).isEmpty();
  }

  @Test
  void claimsThatAreNotKnownAreNotJudged() {
    permits.started(new Started("s1", 9, T));
    assertThat(permits.without(20)).isEmpty();

    for (int i = 0; i <= Permits.KEPT; i++) {
      permits.claimed(21 + i, "t" + i);
    }
    permits.started(new Started("s2", 21, T));
    assertThat(permits.without(1_000_000)).isEmpty();
  }
}
