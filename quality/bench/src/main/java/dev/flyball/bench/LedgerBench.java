package dev.flyball.bench;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.testkit.BrokerProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Reading a ledger with 1,000,000 old entries, checkpointed as runners do; target 1 s. */
final class LedgerBench implements Bench {
  private static final int ENTRIES = 1_000_000;

  /** What runners write: one checkpoint in about a thousand entries. */
  private static final int CHECKPOINT_EVERY = 1_000;

  private static final int ROUNDS = 5;

  @Override
  public String name() {
    return "ledger";
  }

  @Override
  public void run(Place place) {
    try (var broker = BrokerProcess.start(place.folder())) {
      var clients = new KafkaClients(KafkaSettings.of(broker.bootstrapServers()), "bench");
      new TopicProvisioner(clients).provision();
      int cap = fill(clients);
      var millis = new ArrayList<Double>();
      for (int round = 0; round < ROUNDS; round++) {
        long before = System.nanoTime();
        int read = read(clients);
        millis.add((System.nanoTime() - before) / 1e6);
        if (read != cap) {
          throw new AssertionError("cap read " + read + ", written " + cap);
        }
      }
      System.out.println(
          "   open, restore and replay of " + ENTRIES + " entries: " + Figures.of("ms", millis));
    }
  }

  private static int fill(KafkaClients clients) {
    String topic = clients.topics().sessionLedger();
    LedgerState state = LedgerState.empty();
    try (var producer =
        clients.producer(
            "fill",
            Map.of("linger.ms", "50", "batch.size", "500000", "buffer.memory", "67108864"))) {
      for (int at = 0; at < ENTRIES; at++) {
        LedgerEntry entry =
            at % CHECKPOINT_EVERY == CHECKPOINT_EVERY - 1
                ? new LedgerEntry.Checkpoint(at - 1, LedgerState.RULES, null, state.snapshot())
                : new LedgerEntry.Cap(
                    Scope.GLOBAL,
                    at % 100 + 1,
                    state.lastOperator(Scope.GLOBAL),
                    "bench",
                    "filling");
        state = state.fold(entry, at, Instant.EPOCH).state();
        var _ = producer.send(new ProducerRecord<>(topic, 0, "-", RecordJson.bytes(entry)));
      }
    }
    return state.cap();
  }

  private static int read(KafkaClients clients) {
    try (var reader = LedgerReader.open(clients)) {
      LedgerState state = reader.start();
      while (!reader.caughtUp()) {
        List<LedgerRecord> records = reader.poll(Duration.ofMillis(500));
        for (LedgerRecord record : records) {
          if (record.entry() != null) {
            state = state.fold(record.entry(), record.offset(), record.appendTime()).state();
          }
        }
      }
      return state.cap();
    }
  }
}
