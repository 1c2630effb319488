package dev.flyball.triage.topology;

import static dev.flyball.contract.event.EventType.ITEM_CHANGED;
import static dev.flyball.contract.event.EventType.SESSION_CLAIMED;
import static dev.flyball.contract.event.EventType.SESSION_COMPLETED;
import static dev.flyball.contract.event.EventType.SESSION_LEASE_ENDED;
import static dev.flyball.contract.event.EventType.SESSION_RESULT;
import static dev.flyball.triage.topology.DrivenStream.TOPICS;
import static dev.flyball.triage.topology.DrivenStream.bytes;
import static dev.flyball.triage.topology.DrivenStream.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.testkit.Sample;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A record that a broker takes once must not become one that it refuses: the stream thread would
 * die of it, and so would every thread that replaces it.
 */
final class RecordTooLargeTest {
  private static final String KEY = "acme/items/1";
  private static final String HUGE = "x".repeat(900_000);

  @AutoClose private final DrivenStream stream;

  RecordTooLargeTest(@TempDir Path folder) {
    stream = new DrivenStream(folder);
  }

  @Test
  void aHugeKeyGivesALetterThatFits() {
    stream.pipe(TOPICS.workItems(), HUGE, bytes("\u0001".repeat(100_000)), new RecordHeaders());
    assertThat(fitting(TOPICS.deadLetters())).hasSize(1);
    stream.snapshot(KEY, snapshot("a"));
    assertThat(stream.newEvents()).contains(ITEM_CHANGED);
  }

  @Test
  void aHugeEventIsADeadLetterBeforeATerminalRepeatsIt() {
    stream.event(
        event(EventData.EMPTY.with(Field.OUTCOME, "failed").with(Field.REASON, HUGE), "LEDGER:1"));
    assertThat(fitting(TOPICS.deadLetters())).hasSize(1);
    assertThat(stream.newEvents()).isEmpty();
  }

  @Test
  void aHugeClaimIsADeadLetterAndTheLedgerGoesOn() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    String claim = RecordJson.write(Sample.claim("acme/items/2", "REQUEST", "session"));
    stream.ledger(claim.replace("REQUEST", HUGE).getBytes(StandardCharsets.UTF_8));
    assertThat(fitting(TOPICS.deadLetters())).hasSize(1);
    stream.newEvents();
    stream.claim(KEY);
    assertThat(stream.newEvents()).containsExactly(SESSION_CLAIMED);
  }

  @Test
  void twoHugeResultsOfOneItemAreBothKept() {
    stream.snapshot(KEY, snapshot("a"));
    stream.verdict(KEY, true);
    long claim = stream.nextLedgerOffset();
    String session = stream.claim(KEY);
    for (long token : List.of(claim, claim + 1)) {
      String text = "y".repeat(Inputs.MOST_RESULT - 2_000);
      stream.event(
          new LifecycleEvent(
              "result-" + token,
              SESSION_RESULT,
              "/runner/r1",
              KEY,
              Instant.parse("2026-11-21T08:00:01Z"),
              EventData.EMPTY
                  .with(Field.SESSION, token == claim ? session : "its-successor")
                  .with(Field.TOKEN, "LEDGER:" + token)
                  .with(
                      Field.RESULT,
                      new SessionResult("abc", text, List.of(), false, "scout", null, null))));
    }
    stream.release(session, Outcome.COMPLETED);
    assertThat(stream.newEvents()).contains(SESSION_COMPLETED);
    assertThat(fitting(TOPICS.analyses())).hasSize(1);
    assertThat(stream.deadLetters()).isEmpty();
  }

  private static LifecycleEvent event(EventData data, String token) {
    return new LifecycleEvent(
        "e",
        SESSION_LEASE_ENDED,
        "/triage",
        KEY,
        Instant.parse("2026-11-21T08:00:01Z"),
        data.with(Field.SESSION, "s").with(Field.TOKEN, token));
  }

  private List<TestRecord<String, byte[]>> fitting(String topic) {
    List<TestRecord<String, byte[]>> records = stream.drain(topic);
    for (TestRecord<String, byte[]> record : records) {
      int size = record.value().length + (record.key() == null ? 0 : record.key().length());
      for (Header header : record.headers()) {
        size += header.value().length;
      }
      assertThat(size).isLessThan(1_000_000);
    }
    return records;
  }
}
