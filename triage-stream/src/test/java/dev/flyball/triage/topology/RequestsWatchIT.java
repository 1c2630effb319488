package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.testkit.KafkaFixture;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which losses are believed, where a broker that was away for a while may tell old ends. */
@Tag("long")
final class RequestsWatchIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  /** The offset after the newest record of the partition that the ledger knows of. */
  private static final int KNOWN = 6;

  @BeforeAll
  static void theLedgerKnowsOfRecords() {
    KAFKA.provision();
    String ledger = KAFKA.topics().sessionLedger();
    KAFKA.produce(ledger, "-", new LedgerEntry.Init(1, 45_000, List.of()));
    KAFKA.produce(
        ledger,
        "acme/web/1",
        new LedgerEntry.Claim(
            "q",
            new Position(0, KNOWN - 1),
            KNOWN,
            ItemKey.parse("acme/web/1"),
            1,
            "s",
            "r",
            null,
            LedgerState.RULES,
            0));
  }

  @ParameterizedTest(name = "{0} replicas, ends {1} then {2}: {3} missing")
  @DisplayName(
      "one replica is believed immediately, several if records are missing in a second look")
  @CsvSource({
    "1, 2, 6, 4",
    "2, 2, 6, 0", // the first answer came from a broker that no longer leads
    "2, 2, 2, 4",
    "2, 2, 3, 3", // triage writes meanwhile
    "2, 6, 2, 0",
  })
  void whatIsMissing(int replication, long first, long second, long missing) {
    var counted = new AtomicLong();
    var watch = new RequestsWatch(clients(replication, List.of(first, second)), counted::addAndGet);

    watch.start();
    watch.stop();

    assertThat(counted).hasValue(missing);
    assertThat(watch.of(0))
        .satisfies(loss -> assertThat(loss == null ? 0 : loss.tail().missing()).isEqualTo(missing));
  }

  private static KafkaClients clients(int replication, List<Long> answers) {
    Map<String, String> properties = Map.of("bootstrap.servers", KAFKA.bootstrapServers());
    return new KafkaClients(
        new KafkaSettings(KAFKA.topics(), properties, replication),
        "triage",
        new Answering(new ArrayDeque<>(answers)));
  }

  /** Kafka's clients, but the one that is asked for ends gives these answers for partition 0. */
  private record Answering(Queue<Long> answers) implements ClientFactory {
    @Override
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
      return "triage-lost".equals(properties.get("client.id"))
          ? new Ends(properties, answers)
          : ClientFactory.KAFKA.consumer(properties);
    }
  }

  private static final class Ends extends KafkaConsumer<String, byte[]> {
    private final Queue<Long> answers;

    Ends(Map<String, Object> properties, Queue<Long> answers) {
      super(properties, new StringDeserializer(), new ByteArrayDeserializer());
      this.answers = answers;
    }

    @Override
    public Map<TopicPartition, Long> endOffsets(Collection<TopicPartition> partitions) {
      long answer = answers.remove();
      var ends = new HashMap<TopicPartition, Long>();
      partitions.forEach(each -> ends.put(each, each.partition() == 0 ? answer : 0L));
      return ends;
    }
  }
}
