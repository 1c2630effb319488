package dev.flyball.triage.topology;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.contract.triage.TriageRequest;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.MachineSettings;
import dev.flyball.triage.item.Routing;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.test.TestRecord;
import org.jspecify.annotations.Nullable;

/** The real topology under Kafka's test driver, told in our words. */
final class DrivenStream implements AutoCloseable {
  static final Topics TOPICS = Topics.DEFAULT;

  private final TopologyTestDriver driver;
  private final List<TestRecord<String, byte[]>> events = new ArrayList<>();
  private long ledgerOffset;
  private int sessions;
  private boolean closed;

  DrivenStream(Path folder) {
    this(folder, 1);
  }

  /** The driver itself has one partition of everything. */
  DrivenStream(Path folder, int partitions) {
    var settings =
        new TriageTopology.Settings(
            TOPICS, "LEDGER", MachineSettings.defaults(Routing.NONE), partitions, _ -> {});
    var properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, TOPICS.applicationId());
    properties.put(StreamsConfig.STATE_DIR_CONFIG, folder.toString());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    driver =
        new TopologyTestDriver(
            TriageTopology.build(settings), properties, Instant.parse("2026-11-21T08:00:00Z"));
    ledger(new LedgerEntry.Init(3, 45_000, List.of()));
  }

  /** An empty store, outside of a topology. */
  static KeyValueStore<String, byte[]> store() {
    KeyValueStore<String, byte[]> store =
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore("fold"), Serdes.String(), Serdes.ByteArray())
            .withLoggingDisabled()
            .withCachingDisabled()
            .build();
    store.init(new MockProcessorContext<Void, Void>().getStateStoreContext(), store);
    return store;
  }

  static Snapshot snapshot(String content) {
    return Sample.fingerprinted(content, content);
  }

  void snapshot(String key, Snapshot snapshot) {
    pipe(TOPICS.workItems(), key, RecordJson.bytes(snapshot), new RecordHeaders());
  }

  void verdict(String key, boolean deep) {
    verdict(last(TOPICS.triageRequests()), deep);
  }

  /** The answer to a question of its topic. */
  void verdict(TestRecord<String, byte[]> question, boolean deep) {
    String triage = RecordJson.read(question.value(), TriageRequest.class).triage();
    var verdict = Sample.verdict(triage, deep);
    pipe(TOPICS.triageVerdicts(), question.key(), RecordJson.bytes(verdict), new RecordHeaders());
  }

  void command(String key, Command command) {
    pipe(TOPICS.commands(), key, RecordJson.bytes(command), new RecordHeaders());
  }

  /** Reads the newest request and claims it; gives the session. */
  String claim(String key) {
    return claim(key, 0L);
  }

  String claim(String key, long reserve) {
    SessionRequest request =
        RecordJson.read(last(TOPICS.sessionRequests()).value(), SessionRequest.class);
    return claim(key, request.request(), reserve);
  }

  String claim(String key, String request) {
    return claim(key, request, 0);
  }

  String claim(String key, String request, long reserve) {
    sessions++;
    String session = "session-" + sessions;
    ledger(
        Sample.with(
            Sample.claim(key, request, session),
            Map.of(
                "requestAt",
                new Position(0, sessions),
                "readTo",
                sessions + 1,
                "reserve",
                reserve)));
    return session;
  }

  void release(String session, Outcome outcome) {
    ledger(release(session, outcome, 20));
  }

  private static LedgerEntry.Release release(String session, Outcome outcome, long costMicros) {
    return new LedgerEntry.Release(
        session,
        outcome,
        "because",
        null,
        0,
        null,
        new Timings(1, 2, 3),
        10,
        costMicros,
        Receipt.notStarted(),
        null);
  }

  /** The release of an agent's run that failed before anything else of it was read. */
  void releaseUnseen(String session, LedgerEntry.AgentRun run) {
    ledger(
        Sample.with(
            release(session, Outcome.FAILED, 0), Map.of("receipt", Receipt.unknown(), "run", run)));
  }

  void expire(String session, long seen) {
    ledger(new LedgerEntry.Expire(session, seen));
  }

  /** The runner's result event. */
  void result(String key, String session, long tokenOffset) {
    EventData data =
        EventData.EMPTY
            .with(Field.SESSION, session)
            .with(Field.TOKEN, "LEDGER:" + tokenOffset)
            .with(Field.REQUEST, "any")
            .with(
                Field.RESULT,
                new SessionResult("abc", "answer", List.of(), false, "scout", null, "deep/3"));
    event(
        new LifecycleEvent(
            session + "-result",
            EventType.SESSION_RESULT,
            "/runner/r1",
            key,
            Instant.parse("2026-11-21T08:00:01Z"),
            data));
  }

  void event(LifecycleEvent event) {
    pipe(
        TOPICS.sessionEvents(),
        event.subject(),
        RecordJson.bytes(event.data()),
        EventHeaders.of(event));
  }

  long ledger(LedgerEntry entry) {
    pipe(TOPICS.sessionLedger(), "-", RecordJson.bytes(entry), new RecordHeaders());
    return ledgerOffset - 1;
  }

  /** A record that may be no entry. */
  void ledger(byte[] value) {
    pipe(TOPICS.sessionLedger(), "-", value, new RecordHeaders());
  }

  void pipe(String topic, @Nullable String key, byte @Nullable [] value, Headers headers) {
    if (topic.equals(TOPICS.sessionLedger())) {
      ledgerOffset++;
    }
    TestInputTopic<String, byte[]> input =
        driver.createInputTopic(topic, new StringSerializer(), new ByteArraySerializer());
    input.pipeInput(new TestRecord<>(key, value, headers));
  }

  /** Offset that the next ledger entry will have. */
  long nextLedgerOffset() {
    return ledgerOffset;
  }

  void pass(Duration time) {
    driver.advanceWallClockTime(time);
  }

  /** Everything a topic was given since the last look. */
  List<TestRecord<String, byte[]>> drain(String topic) {
    return driver
        .createOutputTopic(topic, new StringDeserializer(), new ByteArrayDeserializer())
        .readRecordsToList();
  }

  List<EventType> newEvents() {
    List<TestRecord<String, byte[]>> fresh = drain(TOPICS.sessionEvents());
    events.addAll(fresh);
    return fresh.stream().map(r -> EventHeaders.typeOf(r.headers()).orElseThrow()).toList();
  }

  List<TestRecord<String, byte[]>> allEvents() {
    newEvents();
    return events;
  }

  List<DeadLetter> deadLetters() {
    return drain(TOPICS.deadLetters()).stream()
        .map(r -> RecordJson.read(r.value(), DeadLetter.class))
        .toList();
  }

  boolean knows(String key) {
    return driver.getKeyValueStore(TriageTopology.ITEM_STATE).get(key) != null;
  }

  /** Whether anything of its sessions and commands is kept. */
  boolean keepsSessions(String key) {
    return driver.getKeyValueStore(TriageTopology.ITEM_SESSIONS).get(key) != null;
  }

  ItemState state(String key) {
    byte[] value = (byte[]) driver.getKeyValueStore(TriageTopology.ITEM_STATE).get(key);
    return RecordJson.read(Objects.requireNonNull(value), ItemState.class);
  }

  private TestRecord<String, byte[]> last(String topic) {
    return drain(topic).getLast();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      driver.close();
    }
  }
}
