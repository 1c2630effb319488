package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LostRequestsTest {
  private static final String WAITS = "acme/web/waits";
  private static final String KEPT = "acme/web/kept";
  private static final String SKIPPED = "acme/web/skipped";
  private static final String RUNS = "acme/web/runs";
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");

  @TempDir Path folder;
  private DrivenStream stream;
  private LedgerState ledger = LedgerState.empty();

  @BeforeEach
  void begin() {
    stream = new DrivenStream(folder);
    append(new LedgerEntry.Init(3, 45_000, List.of()));
  }

  @AfterEach
  void end() {
    stream.close();
  }

  @Test
  void firstWhatIsUnwantedIsWithdrawnThenThePartitionGrowsThenLostRequestsAreWritten() {
    String lost = queued(WAITS).request();
    String kept = queued(KEPT).request();
    String skipped = queued(SKIPPED).request();
    stream.command(SKIPPED, new Command.Skip("c1", "ann", AT, "not now"));
    stream.drain(DrivenStream.TOPICS.sessionRequests());

    lose(3, Map.of(KEPT, kept, SKIPPED, skipped, "no item", "x"));

    List<TestRecord<String, byte[]>> written = written();
    assertThat(written).hasSize(1 + 3 + 1);
    assertThat(written.getFirst().key()).isEqualTo(SKIPPED);
    assertThat(written.getFirst().value()).isNull();
    assertThat(written.subList(1, 4))
        .allSatisfy(filler -> {
          assertThat(filler.value()).isNull();
          assertThat(stream.knows(filler.key())).isFalse();
        });
    assertThat(written.getLast().key()).isEqualTo(WAITS);
    assertThat(request(written.getLast()).request()).isEqualTo(lost);
    assertThat(stream.repaired()).isTrue();
  }

  @Test
  void theRequestIsWrittenAsItWas() {
    SessionRequest lost = queued(WAITS);

    lose(1, Map.of());

    assertThat(request(written().getLast())).isEqualTo(lost);
  }

  @Test
  void whatHasOrHadItsSessionIsNeitherWrittenAgainNorWithdrawn() {
    append(claim(WAITS, queued(WAITS).request(), "s1"));
    append(claim(KEPT, queued(KEPT).request(), "s2"));
    append(new LedgerEntry.Expire("s2", ledger.offset()));
    String running = queued(RUNS).request();
    append(claim(RUNS, running, "s3"));
    stream.drain(DrivenStream.TOPICS.sessionRequests());

    lose(1, Map.of(RUNS, "an older request"));

    assertThat(written()).as("the filler alone").hasSize(1);
  }

  @Test
  void aForgottenItemsRequestIsWithdrawn() {
    lose(1, Map.of("acme/web/forgotten", "q"));

    List<TestRecord<String, byte[]>> written = written();
    assertThat(written).hasSize(2);
    assertThat(written.getFirst().key()).isEqualTo("acme/web/forgotten");
  }

  @Test
  void aLargeLossIsReplacedInPasses() {
    String lost = queued(WAITS).request();

    stream.lose(new LostRequests.Loss(new LostTail(0, 0, 5_000), Map.of(), ledger));
    stream.pass(Duration.ofMillis(250));
    assertThat(stream.repaired()).isFalse();
    stream.pass(Duration.ofMillis(250));
    stream.pass(Duration.ofMillis(250));

    assertThat(stream.repaired()).isTrue();
    List<TestRecord<String, byte[]>> written = written();
    assertThat(written).hasSize(5_001);
    assertThat(request(written.getLast()).request()).isEqualTo(lost);
  }

  private void lose(long missing, Map<String, String> left) {
    stream.lose(new LostRequests.Loss(new LostTail(0, 7, 7 + missing), left, ledger));
    stream.pass(Duration.ofMillis(250));
  }

  private SessionRequest queued(String key) {
    stream.snapshot(key, DrivenStream.snapshot(key));
    stream.verdict(key, true);
    return request(stream.drain(DrivenStream.TOPICS.sessionRequests()).getLast());
  }

  private static SessionRequest request(TestRecord<String, byte[]> record) {
    return RecordJson.read(record.value(), SessionRequest.class);
  }

  private List<TestRecord<String, byte[]>> written() {
    return new ArrayList<>(stream.drain(DrivenStream.TOPICS.sessionRequests()));
  }

  private void append(LedgerEntry entry) {
    ledger = ledger.fold(entry, ledger.offset() + 1, AT).state();
  }

  private static LedgerEntry.Claim claim(String item, String request, String session) {
    return new LedgerEntry.Claim(
        request,
        new Position(0, 0),
        1,
        ItemKey.parse(item),
        1,
        session,
        "r",
        null,
        LedgerState.RULES,
        0);
  }
}
