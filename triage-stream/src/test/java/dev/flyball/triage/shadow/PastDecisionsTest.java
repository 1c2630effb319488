package dev.flyball.triage.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.ShadowVerdict.Decided;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("What triage decided, by its events, and about which snapshot")
final class PastDecisionsTest {
  private static final String ITEM = "acme/web/1";
  private static final Position FIRST = new Position(2, 10);
  private static final Position SECOND = new Position(2, 11);

  private final PastDecisions past = new PastDecisions();

  @ParameterizedTest
  @CsvSource({"ITEM_SKIPPED, false", "SESSION_REQUESTED, true", "ITEM_DEAD_LETTERED, true"})
  void theEventAfterAVerdictSaysWhatItWas(EventType follows, boolean session) {
    read(1, EventType.ITEM_CHANGED, "7");
    read(2, EventType.ITEM_TRIAGED, "7");
    read(2, follows, "7");
    snapshot("7", FIRST, 1);

    assertThat(past.bySnapshot())
        .containsOnlyKeys(FIRST)
        .extractingByKey(FIRST)
        .matches(it -> it.needsDeepAnalysis() == session)
        .matches(it -> it.costMicros() == 40);
    assertThat(past.undecided()).isEmpty();
  }

  @Test
  void progressOfAnOlderSessionInBetweenChangesNothing() {
    read(2, EventType.ITEM_TRIAGED, "7");
    read(2, EventType.SESSION_COMPLETED, "6");
    read(2, EventType.ITEM_SKIPPED, "7");
    snapshot("7", FIRST, 1);

    assertThat(past.bySnapshot().values()).noneMatch(Decided::needsDeepAnalysis).hasSize(1);
  }

  @Test
  void anItemThatAnOperatorSkipsLaterKeepsItsDecision() {
    read(2, EventType.ITEM_TRIAGED, "7");
    read(2, EventType.SESSION_REQUESTED, "7");
    read(3, EventType.ITEM_SKIPPED, "7");
    snapshot("7", FIRST, 1);

    assertThat(past.bySnapshot().values()).allMatch(Decided::needsDeepAnalysis).hasSize(1);
  }

  @Test
  void whereARevisionHasSeveralSnapshotsTheNewestBeforeTheVerdictCounts() {
    decided(5, false);
    decided(9, true);
    snapshot("0", FIRST, 4);
    snapshot("0", SECOND, 8);

    assertThat(past.bySnapshot()).hasSize(2);
    assertThat(past.bySnapshot().get(FIRST)).matches(it -> it != null && !it.needsDeepAnalysis());
    assertThat(past.bySnapshot().get(SECOND)).matches(it -> it != null && it.needsDeepAnalysis());
  }

  @Test
  void aSnapshotThatIsStampedAfterItsVerdictIsFoundAllTheSame() {
    decided(5, true);
    snapshot("0", FIRST, 6);

    assertThat(past.bySnapshot()).containsOnlyKeys(FIRST);
  }

  @Test
  void ofTwoVerdictsAboutOneSnapshotTheNewerCounts() {
    decided(5, false);
    decided(6, true);
    snapshot("0", FIRST, 1);

    assertThat(past.bySnapshot().get(FIRST)).matches(it -> it != null && it.needsDeepAnalysis());
  }

  @Test
  void aDecisionWithoutItsSnapshotIsCounted() {
    decided(5, true);
    snapshot("1", FIRST, 1);

    assertThat(past.bySnapshot()).isEmpty();
    assertThat(past.withoutSnapshot()).isEqualTo(1);
  }

  @Test
  void aChangeWithoutAVerdictIsUndecided() {
    read(1, EventType.ITEM_CHANGED, "7");
    snapshot("7", FIRST, 1);

    assertThat(past.undecided()).containsEntry(ITEM, "7").hasSize(1);
  }

  @Test
  void aSnapshotThatTriageHasNotReadIsUndecided() {
    decided(5, true);
    snapshot("0", FIRST, 1);
    snapshot("0", SECOND, 6);

    assertThat(past.undecided()).containsEntry(ITEM, "0").hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"ITEM_SKIPPED", "ITEM_SUPERSEDED", "ITEM_CLOSED", "ITEM_FORGOTTEN"})
  void aChangeThatNeedsNoVerdictIsNotUndecided(EventType end) {
    read(1, EventType.ITEM_CHANGED, "7");
    read(2, end, "7");
    snapshot("7", FIRST, 1);

    assertThat(past.undecided()).isEmpty();
    assertThat(past.bySnapshot()).isEmpty();
  }

  @Test
  void moreDecisionsThanMemoryHoldsAreTooMuch() {
    for (int i = 0; i < PastDecisions.MOST_DECISIONS; i++) {
      decided(i, true);
    }
    assertThat(past.tooMuch()).isEmpty();

    decided(0, true);

    assertThat(past.tooMuch()).isPresent();
  }

  @Test
  void moreItemsThanMemoryHoldsAreTooMuch() {
    for (int i = 0; i < PastDecisions.MOST_ITEMS; i++) {
      past.snapshot("acme/web/" + i, "0", FIRST, Instant.EPOCH);
    }
    assertThat(past.tooMuch()).isEmpty();

    past.snapshot("acme/web/one-more", "0", FIRST, Instant.EPOCH);

    assertThat(past.tooMuch()).isPresent();
  }

  private void decided(int second, boolean session) {
    read(second, EventType.ITEM_TRIAGED, "0");
    read(second, session ? EventType.SESSION_REQUESTED : EventType.ITEM_SKIPPED, "0");
  }

  private void read(int second, EventType type, String revision) {
    past.read(
        new LifecycleEvent(
            "e",
            type,
            "/triage",
            ITEM,
            Instant.ofEpochSecond(second),
            EventData.EMPTY
                .with(Field.REVISION, revision)
                .with(Field.REASON, "because")
                .with(Field.COST_MICROS, 40)));
  }

  private void snapshot(String revision, Position place, int second) {
    past.snapshot(ITEM, revision, place, Instant.ofEpochSecond(second));
  }
}
