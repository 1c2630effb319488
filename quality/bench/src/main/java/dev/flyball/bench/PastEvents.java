package dev.flyball.bench;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.testkit.Sample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The events of a past week, and states of items: each item changed, got one session that ended,
 * and was polled unchanged three times afterwards.
 */
final class PastEvents {
  /** Events of one item. */
  static final int EACH = 16;

  private static final Duration SPAN = Duration.ofDays(7);
  private static final String ANSWER = "The index is rebuilt for each request. ".repeat(40);
  private static final List<String> WORDS =
      List.of("search", "login", "report", "export", "invoice", "timeout", "window", "crash");

  private final Topics topics;
  private final Instant end = Instant.now();

  PastEvents(Topics topics) {
    this.topics = topics;
  }

  static String key(int n) {
    return "acme/s" + n % 4 + "/" + (9_000_000 + n);
  }

  /** Writes all events of this many items, those of neighbours interleaved. */
  void write(KafkaClients clients, int items) {
    try (var producer = clients.producer("fill", Map.of("linger.ms", "50"))) {
      for (int first = 0; first < items; first += 8) {
        var neighbours = new ArrayList<List<LifecycleEvent>>();
        for (int n = first; n < Math.min(items, first + 8); n++) {
          neighbours.add(
              events(n, end.minus(SPAN).plus(SPAN.multipliedBy(first).dividedBy(items))));
        }
        for (int step = 0; step < EACH; step++) {
          for (List<LifecycleEvent> each : neighbours) {
            send(producer, each.get(step));
          }
        }
      }
    }
  }

  /** Writes the states of this many items. */
  void writeStates(KafkaClients clients, int items) {
    try (var producer = clients.producer("fill", Map.of("linger.ms", "50"))) {
      for (int n = 0; n < items; n++) {
        var _ =
            producer.send(
                new ProducerRecord<>(topics.itemState(), key(n), RecordJson.bytes(state(n))));
      }
    }
  }

  private void send(Producer<String, byte[]> producer, LifecycleEvent event) {
    var _ =
        producer.send(
            new ProducerRecord<>(
                topics.sessionEvents(),
                null,
                event.time().toEpochMilli(),
                event.subject(),
                RecordJson.bytes(event.data()),
                EventHeaders.of(event)));
  }

  private static ItemState state(int n) {
    String title =
        "Issue with " + WORDS.get(n % 8) + " in " + WORDS.get(n / 8 % 8) + " of part " + n / 64;
    Snapshot snapshot =
        Sample.snapshot("1", title, "It fails. ".repeat(30), new Fingerprint("1:text", "00"));
    ItemPhase phase =
        n % 5 == 0 ? new ItemPhase.Skipped("not worth a session") : new ItemPhase.Analyzed("s" + n);
    return new ItemState(
        ItemState.SCHEMA,
        snapshot,
        new Position(0, n),
        null,
        phase,
        Sample.verdict(),
        List.of(),
        120_000,
        20_000L,
        Instant.EPOCH.plusSeconds(n));
  }

  private static List<LifecycleEvent> events(int n, Instant begin) {
    String session = new UUID(n * 0x9e3779b97f4a7c15L, n).toString();
    EventData of =
        EventData.EMPTY
            .with(Field.SESSION, session)
            .with(Field.TOKEN, "Bo8cXnR6TfSgkQ0vNpHb4w:" + n)
            .with(Field.REQUEST, "r-" + n);
    EventData item = EventData.EMPTY.with(Field.REVISION, "1");
    var all = new ArrayList<LifecycleEvent>();
    var at = new At(key(n), begin, all);
    at.add(EventType.ITEM_CHANGED, "/triage", item.with(Field.TITLE, "Issue " + n));
    at.add(
        EventType.ITEM_TRIAGED,
        "/triage",
        item.with(Field.REASON, "names a failing part")
            .with(Field.MODEL, "rules/2")
            .with(Field.BATCH, "b" + n / 20)
            .with(Field.COST_MICROS, 1_500));
    at.add(EventType.SESSION_CLAIMED, "/runner/r1", of.with(Field.ATTEMPT, 1));
    at.add(
        EventType.SESSION_SPAWNED,
        "/runner/r1",
        of.with(Field.PID, 4_000 + n % 20_000).with(Field.LEVEL, "A+"));
    at.add(EventType.SESSION_IDENTIFIED, "/runner/r1", of.with(Field.AGENT_SESSION, "a" + n));
    for (int i = 1; i <= 5; i++) {
      at.add(
          EventType.SESSION_PROGRESSED,
          "/runner/r1",
          of.with(Field.TOKENS, 4_000 * i).with(Field.COST_MICROS, 20_000 * i));
    }
    at.add(EventType.SESSION_RESULT, "/runner/r1", of.with(Field.RESULT, Map.of("text", ANSWER)));
    String outcome = n % 10 == 9 ? "failed" : "completed";
    at.add(EventType.SESSION_LEASE_ENDED, "/triage", of.with(Field.OUTCOME, outcome));
    at.add(
        n % 10 == 9 ? EventType.SESSION_FAILED : EventType.SESSION_COMPLETED,
        "/triage",
        of.with(Field.OUTCOME, outcome)
            .with(Field.REASON, "ended")
            .with(Field.WAITING_MS, 900)
            .with(Field.RUNNING_MS, 61_000 + n % 40_000)
            .with(Field.REPORTING_MS, 20)
            .with(Field.TOKENS, 20_000)
            .with(Field.COST_MICROS, 120_000)
            .with(Field.RECEIPT, new Receipt("A+", 6, 200L << 20, List.of(), 0)));
    for (int i = 0; i < 3; i++) {
      at.add(EventType.ITEM_DUPLICATE, "/triage", item);
    }
    return all;
  }

  /** Where an item's next event goes: seven seconds after the one before it. */
  private record At(String subject, Instant begin, List<LifecycleEvent> all) {
    void add(EventType type, String source, EventData data) {
      Instant time = begin.plusSeconds(7L * all.size());
      all.add(new LifecycleEvent(subject + "-" + all.size(), type, source, subject, time, data));
    }
  }
}
