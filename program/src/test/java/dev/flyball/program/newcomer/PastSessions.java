package dev.flyball.program.newcomer;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Receipt;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Sessions of the last five hours, so that the history has something to draw. */
final class PastSessions {
  static final int COUNT = 120;

  private static final Duration SPAN = Duration.ofHours(5);

  private PastSessions() {}

  /**
   * Writes when each was claimed and how it ended; nothing of it was started or is in the ledger.
   */
  static void write(KafkaSettings kafka) {
    var random = new Random(4);
    Instant begin = Instant.now().minus(SPAN).minus(Duration.ofMinutes(30));
    String topic = kafka.topics().sessionEvents();
    try (var producer = new KafkaClients(kafka, "past").producer("past")) {
      for (int n = 0; n < COUNT; n++) {
        Instant claimed = begin.plus(SPAN.multipliedBy(n).dividedBy(COUNT));
        long running = 60_000L + random.nextInt(240_000);
        boolean failed = random.nextInt(9) == 0;
        EventData data =
            EventData.EMPTY
                .with(Field.SESSION, "past-" + n)
                .with(Field.TOKEN, "Bo8cXnR6TfSgkQ0vNpHb4w:" + n)
                .with(Field.REQUEST, "past-" + n);
        send(producer, topic, event(n, EventType.SESSION_CLAIMED, claimed, data));
        send(
            producer,
            topic,
            event(
                n,
                failed ? EventType.SESSION_FAILED : EventType.SESSION_COMPLETED,
                claimed.plusMillis(running),
                data.with(Field.OUTCOME, failed ? "failed" : "completed")
                    .with(Field.EXIT_CODE, failed ? 1 : 0)
                    .with(Field.WAITING_MS, 900)
                    .with(Field.RUNNING_MS, running)
                    .with(Field.TOKENS, 20_000 + random.nextInt(60_000))
                    .with(Field.COST_MICROS, 50_000 + random.nextInt(350_000))
                    .with(Field.RECEIPT, new Receipt("A+", 6, 200L << 20, List.of(), 0))));
      }
    }
  }

  private static LifecycleEvent event(int n, EventType type, Instant time, EventData data) {
    String source = type == EventType.SESSION_CLAIMED ? "/runner/r1" : "/triage";
    return new LifecycleEvent(type + "-" + n, type, source, "acme/web/" + (200 + n), time, data);
  }

  private static void send(Producer<String, byte[]> producer, String topic, LifecycleEvent event) {
    // The end of the producer waits for the acknowledgement.
    var _ =
        producer.send(
            new ProducerRecord<>(
                topic,
                null,
                event.subject(),
                RecordJson.bytes(event.data()),
                EventHeaders.of(event)));
  }
}
