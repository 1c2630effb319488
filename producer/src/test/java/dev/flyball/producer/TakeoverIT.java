package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("long")
@DisplayName("S2-4: a source that changes hands publishes each change once")
class TakeoverIT extends PollFixture {
  @Test
  @DisplayName("what was published behind another source's open transaction is not published again")
  void anOpenTransactionHidesNothing() throws Exception {
    var other = KAFKA.clients("o").producer("o", staysOpen(tenant + "/other"));
    try (other) {
      other.initTransactions();
      other.beginTransaction();
      for (int partition = 0; partition < 6; partition++) {
        String topic = KAFKA.topics().workItems();
        var _ =
            other.send(new ProducerRecord<>(topic, partition, tenant + "/other/1", new byte[1]));
      }
      other.flush();
      tracker.put("1", "one", Instant.now().minusSeconds(600));
      ProducerApp first = start(config("first", file()), false);
      poll(first);
      first.stop();

      ProducerApp second = start(config("second", file()), false);
      assertThat(second.pollNow(key))
          .isInstanceOfSatisfying(
              PollReport.Skipped.class,
              skipped ->
                  assertThat(skipped.whyNot().reason()).contains(KAFKA.topics().workItems() + "-"));
      other.abortTransaction();
      assertThat(poll(second).published()).isEmpty();
    }
  }

  /**
   * Settings of a transaction that outlasts the test on any machine: the broker ends others after a
   * minute.
   */
  private static Map<String, Object> staysOpen(String transaction) {
    return Map.of("transactional.id", transaction, "transaction.timeout.ms", "600000");
  }
}
