package dev.flyball.triage.topology;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.topology.DrivenStream.TOPICS;
import static dev.flyball.triage.topology.DrivenStream.bytes;
import static dev.flyball.triage.topology.DrivenStream.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.Trace;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.topic.DeadLetter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.util.DefaultLocale;

/** The topology as it runs, without a broker. */
final class TriageTopologyTest {
  private static final String KEY = "acme/items/1";
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");

  private final Path folder;
  @AutoClose private DrivenStream stream;

  TriageTopologyTest(@TempDir Path folder) {
    this.folder = folder;
    stream = new DrivenStream(folder);
  }

  @Test
  @DisplayName("every event carries what its type promises")
  void anItemGoesFromSnapshotToAnalysis() {
    stream.snapshot(KEY, snapshot("a"));
    assertThat(stream.newEvents()).containsExactly(ITEM_CHANGED);
    stream.verdict(KEY, true);
    assertThat(stream.newEvents()).containsExactly(ITEM_TRIAGED, SESSION_REQUESTED);
    long claim = stream.nextLedgerOffset();
    String session = stream.claim(KEY);
    assertThat(stream.state(KEY).phase()).isInstanceOf(ItemPhase.Running.class);
    stream.result(KEY, session, claim);
    stream.release(session, Outcome.COMPLETED);
    assertThat(stream.newEvents())
        .containsExactly(SESSION_CLAIMED, SESSION_LEASE_ENDED, SESSION_COMPLETED);
    TestRecord<String, byte[]> analysis = stream.drain(TOPICS.analyses()).getFirst();
    assertThat(EventHeaders.text(analysis.headers(), "schema")).isEqualTo("analysis/1");
    assertThat(RecordJson.read(analysis.value(), Analysis.class))
        .extracting(Analysis::token, Analysis::prompt)
        .containsExactly("LEDGER:" + claim, "deep/3");
    assertThat(stream.drain(TOPICS.sessionRequests()).getLast().value())
        .as("the request is withdrawn")
        .isNull();
    assertThat(stream.state(KEY).phase()).isInstanceOf(ItemPhase.Analyzed.class);
    for (TestRecord<String, byte[]> record : stream.allEvents()) {
      var event = EventHeaders.read(record.headers(), record.value());
      assertThat(event.type().required()).as(event.type().type()).allMatch(event.data()::has);
      assertThat(event.subject()).isEqualTo(KEY).isEqualTo(record.key());
    }
    assertThat(stream.allEvents().stream().map(r -> EventHeaders.text(r.headers(), "ce_id")))
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("a terminal event is complete although no other event of its session was read")
  void theReleaseIsEnoughForTheTerminalEvent() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);

    stream.releaseUnseen(
        stream.claim(KEY),
        new LedgerEntry.AgentRun("claude", "default", "agent-1", "r1", true, "opus", "ended"));

    EventData failed =
        stream.allEvents().stream()
            .map(record -> EventHeaders.read(record.headers(), record.value()))
            .filter(event -> event.type() == SESSION_FAILED)
            .findFirst()
            .orElseThrow()
            .data();
    assertThat(
            List.of(
                    Field.AGENT,
                    Field.PROFILE,
                    Field.AGENT_SESSION,
                    Field.HOME,
                    Field.REUSED,
                    Field.MODEL,
                    Field.TURN)
                .stream()
                .map(field -> failed.text(field).orElse(null)))
        .containsExactly("claude", "default", "agent-1", "r1", "true", "opus", "ended");
    assertThat(stream.state(KEY).sessions().getFirst().reused()).isTrue();
  }

  @Test
  @DefaultLocale("ar-EG")
  void aRetryComesWhenItIsDueAfterAStartUnderAnotherLocale() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    stream.release(stream.claim(KEY), Outcome.FAILED);
    assertThat(stream.newEvents()).endsWith(SESSION_FAILED, ITEM_DEFERRED);

    Locale.setDefault(Locale.ROOT);
    stream.pass(Duration.ofSeconds(20));
    assertThat(stream.newEvents()).isEmpty();
    stream.pass(Duration.ofSeconds(20));
    assertThat(stream.newEvents()).containsExactly(SESSION_REQUESTED);
    stream.pass(Duration.ofSeconds(60));
    assertThat(stream.newEvents()).isEmpty();
  }

  // S1-14
  @Test
  void anExpiredLeaseIsLostAndTheItemIsRequestedAgainAtOnce() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    long claim = stream.nextLedgerOffset();
    stream.expire(stream.claim(KEY, 500), claim);
    assertThat(stream.newEvents())
        .endsWith(SESSION_CLAIMED, SESSION_LEASE_ENDED, SESSION_LOST, SESSION_REQUESTED);
    assertThat(stream.state(KEY).spentMicros()).as("its reserve").isEqualTo(500);
  }

  @Test
  void aForgottenItemLeavesATombstoneAndNoDueTime() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    stream.release(stream.claim(KEY), Outcome.FAILED);
    stream.command(KEY, new Command.Forget("c1", "ada", AT, ""));
    assertThat(stream.newEvents()).endsWith(ITEM_CANCELLED, ITEM_FORGOTTEN, COMMAND_DONE);
    assertThat(stream.knows(KEY)).isFalse();
    stream.pass(ItemStores.KEPT_AFTER_FORGET.minusSeconds(1));
    assertThat(stream.newEvents()).isEmpty();
    assertThat(stream.keepsSessions(KEY)).as("records about them may be left").isTrue();
    stream.command(KEY, new Command.Forget("c2", "ada", AT, ""));
    assertThat(stream.newEvents()).containsExactly(COMMAND_REFUSED);
    stream.snapshot(KEY, snapshot("a"));
    stream.command(KEY, new Command.Forget("c1", "ada", AT, ""));
    assertThat(stream.newEvents())
        .as("what was carried out before stays known, whatever was forgotten")
        .containsExactly(ITEM_CHANGED, COMMAND_REFUSED);
    stream.command(KEY, new Command.Forget("c3", "ada", AT, ""));
    stream.pass(ItemStores.KEPT_AFTER_FORGET.plusSeconds(1));
    assertThat(stream.keepsSessions(KEY)).isFalse();
  }

  @Test
  void anItemThatCameBackKeepsItsSessions() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    stream.release(stream.claim(KEY), Outcome.FAILED);
    stream.command(KEY, new Command.Forget("c1", "ada", AT, ""));
    stream.snapshot(KEY, snapshot("b"));
    stream.pass(ItemStores.KEPT_AFTER_FORGET.plusDays(1));

    assertThat(stream.keepsSessions(KEY)).isTrue();
  }

  @Test
  @DisplayName("an open session of an unknown item is kept until its end, and deleted later")
  void anUnknownItemsSessionsAreDeletedAfterTheirEnd() {
    String session = stream.claim(KEY, "lost-request");
    stream.pass(ItemStores.KEPT_AFTER_FORGET.plusDays(1));
    assertThat(stream.keepsSessions(KEY)).isTrue();
    stream.release(session, Outcome.FAILED);
    stream.pass(ItemStores.KEPT_AFTER_FORGET);

    assertThat(stream.keepsSessions(KEY)).isFalse();
  }

  @Test
  void aCommandThatIsNoneOrForNoItemIsADeadLetter() {
    stream.command("-", new Command.Retry("c1", "ada", AT, ""));
    stream.pipe(TOPICS.commands(), KEY, bytes("{\"command\":\"explode\"}"), new RecordHeaders());
    stream.pipe(
        TOPICS.commands(),
        KEY,
        bytes("{\"command\":\"retry\",\"id\":\"c\",\"who\":\"ada\",\"why\":\"\"}"),
        new RecordHeaders());
    assertThat(stream.deadLetters()).extracting(DeadLetter::reason).hasSize(3);
    assertThat(stream.newEvents()).isEmpty();
  }

  @Test
  void aCommandToPollASourceIsForTheProducer() {
    stream.command("acme/web", new Command.Poll("c1", "ada", AT, ""));
    assertThat(stream.deadLetters()).isEmpty();
    assertThat(stream.newEvents()).isEmpty();
  }

  @Test
  void aCommandToPollAnItemIsRejected() {
    stream.snapshot(KEY, snapshot("a"));
    stream.newEvents();
    stream.command(KEY, new Command.Poll("c1", "ada", AT, ""));
    assertThat(stream.newEvents()).containsExactly(COMMAND_REFUSED);
  }

  @Test
  void aClaimWithoutEffectIsNoEvent() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    stream.claim(KEY);
    stream.newEvents();
    stream.claim(KEY, "another-request");
    assertThat(stream.newEvents()).as("the item has a live session").isEmpty();
  }

  @Test
  void unreadableRecordsOfEveryInputGoToDeadLettersAndTheRestGoesOn() {
    for (String topic :
        List.of(
            TOPICS.workItems(),
            TOPICS.triageVerdicts(),
            TOPICS.sessionEvents(),
            TOPICS.commands(),
            TOPICS.sessionLedger())) {
      stream.pipe(topic, KEY, bytes("{nonsense"), new RecordHeaders());
      List<DeadLetter> letters = stream.deadLetters();
      assertThat(letters).as(topic).hasSize(1);
      assertThat(letters.getFirst().topic()).isEqualTo(topic);
      assertThat(letters.getFirst().reason()).isNotBlank().doesNotContain("\n");
      assertThat(letters.getFirst().value()).isEqualTo("{nonsense");
    }
    stream.pipe(TOPICS.workItems(), "no-item-key", bytes("{}"), new RecordHeaders());
    stream.pipe(TOPICS.workItems(), null, bytes("{}"), new RecordHeaders());
    stream.pipe(TOPICS.workItems(), KEY, null, new RecordHeaders());
    stream.pipe(TOPICS.workItems(), KEY, bytes("{\"revision\":\"1\"}"), new RecordHeaders());
    assertThat(stream.deadLetters()).hasSize(4);
    stream.snapshot(KEY, snapshot("a"));
    assertThat(stream.newEvents()).contains(ITEM_CHANGED);
  }

  @Test
  void anItemWhoseQuestionTheClassifierCouldNotReadAsksAgainAndIsGivenUpInTheEnd() {
    stream.snapshot(KEY, snapshot("a"));
    for (int asked = 1; asked <= 3; asked++) {
      assertThat(stream.drain(TOPICS.triageRequests())).as("question %s", asked).hasSize(1);
      assertThat(stream.state(KEY).phase()).isInstanceOf(ItemPhase.Triaging.class);
      stream.pipe(TOPICS.triageVerdicts(), KEY, null, new RecordHeaders());
    }
    assertThat(stream.state(KEY).phase()).isInstanceOf(ItemPhase.Dead.class);
    assertThat(stream.newEvents()).containsExactly(ITEM_CHANGED, ITEM_DEAD_LETTERED);
    assertThat(stream.deadLetters())
        .as("of the item, none of a tombstone")
        .singleElement()
        .extracting(DeadLetter::topic)
        .isEqualTo(TOPICS.workItems());
  }

  @Test
  void aSnapshotThatNoBrokerWouldTakeBackIsADeadLetterAndNotADeadThread() {
    stream.snapshot(KEY, snapshot("a".repeat(Inputs.MOST_SNAPSHOT)));
    assertThat(stream.deadLetters())
        .singleElement()
        .extracting(DeadLetter::reason)
        .asString()
        .contains(Integer.toString(Inputs.MOST_SNAPSHOT));
    assertThat(stream.newEvents()).isEmpty();
  }

  @Test
  void aRecordThatAnotherPartitionerPutElsewhereIsMovedOnceAndNeverInCircles() {
    stream.close();
    stream = new DrivenStream(folder.resolve("six"), 6);
    stream.snapshot("acme/items/1", snapshot("a"));
    assertThat(stream.newEvents()).isEmpty();
    TestRecord<String, byte[]> moved = stream.drain(TOPICS.workItems()).getFirst();
    assertThat(moved.key()).isEqualTo("acme/items/1");
    assertThat(RecordJson.read(moved.value(), Snapshot.class)).isEqualTo(snapshot("a"));
    // The driver has one partition, so that the record comes to the same task again.
    assertThat(stream.deadLetters())
        .singleElement()
        .extracting(DeadLetter::reason)
        .asString()
        .contains("murmur2");
  }

  @Test
  void eventsOfOthersAreNotEvenParsed() {
    var headers = new RecordHeaders();
    headers.add("ce_type", bytes("flyball.session.progressed.v1"));
    stream.pipe(TOPICS.sessionEvents(), KEY, bytes("{nonsense"), headers);
    var newer = new RecordHeaders();
    newer.add("ce_type", bytes("flyball.session.unheardOf.v7"));
    stream.pipe(TOPICS.sessionEvents(), KEY, bytes("{nonsense"), newer);
    assertThat(stream.deadLetters()).isEmpty();
  }

  @Test
  void aRetryByTimeCarriesTheTraceOfItsRevision() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    stream.release(stream.claim(KEY), Outcome.FAILED);
    stream.pass(Duration.ofHours(1));
    TestRecord<String, byte[]> again = stream.drain(TOPICS.sessionRequests()).getLast();
    assertThat(RecordJson.read(again.value(), SessionRequest.class).attempt()).isEqualTo(2);
    assertThat(EventHeaders.text(again.headers(), Trace.PARENT))
        .isEqualTo(Trace.of(KEY, snapshot("a").revision()).parent(Trace.CHANGE));
  }

  @Test
  void whatWaitsForTheClassifierIsAskedAgainOnlyOnceThatPassedItOver() {
    stream.snapshot(KEY, snapshot("a"));
    stream.pass(Duration.ofHours(3));
    stream.snapshot("acme/items/2", snapshot("b"));
    assertThat(stream.drain(TOPICS.triageRequests())).as("each is asked about once").hasSize(2);
    stream.pass(Duration.ofHours(3));
    assertThat(stream.drain(TOPICS.triageRequests())).as("away for hours").isEmpty();

    stream.snapshot("acme/items/2", snapshot("c"));
    stream.verdict("acme/items/2", false);
    stream.pass(Duration.ofHours(1));

    assertThat(stream.drain(TOPICS.triageRequests()))
        .extracting(TestRecord::key)
        .containsExactly(KEY);
  }
}
