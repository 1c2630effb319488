package dev.flyball.producer.publish;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Committed records could not be read to the end, because a transaction that began before them is
 * still open. The log does not say which producer opened it. It ends by itself, at the latest when
 * the broker aborts it; trying again helps.
 */
public final class OpenTransaction extends KafkaException {
  private static final long serialVersionUID = 1L;

  OpenTransaction(TopicPartition partition, long begin) {
    super(
        "a transaction is open in "
            + partition
            + " from offset "
            + begin
            + " on; what was committed behind it cannot be read before it ends, which takes "
            + SnapshotPublisher.TRANSACTION_LIMIT.toSeconds()
            + "s at most; if it stays, `kafka-transactions.sh find-hanging` names it");
  }
}
