package dev.flyball.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Cuts the entries that no reader needs from the ledger's start: those below the checkpoint before
 * last that are older than {@link #KEPT} and that triage-stream has folded. Every other reader
 * begins at the newest checkpoint.
 */
public final class LedgerCut {
  /** How long entries are kept for people who search for a cause. */
  public static final Duration KEPT = Duration.ofDays(7);

  private static final long LIMIT_SECONDS = 30;

  private final KafkaClients clients;
  private final TopicPartition ledger;

  /** Creates the cut for the ledger that these clients reach. */
  public LedgerCut(KafkaClients clients) {
    this.clients = clients;
    this.ledger = new TopicPartition(clients.topics().sessionLedger(), 0);
  }

  /**
   * Cuts as far as is allowed, and waits for it.
   *
   * @param checkpointed the log is not cut at or above this offset, nor above {@code at} of the
   *     checkpoint before last
   * @param now the broker's clock, by the append time of an entry just read, because this machine's
   *     clock may be wrong
   * @return the log's new first offset; empty if nothing was cut
   * @throws BrokerUnreachable if no broker answers
   */
  public OptionalLong cut(long checkpointed, Instant now) {
    try (Admin admin = clients.admin("ledger-cut")) {
      long folded = folded(admin);
      long old = offset(admin, OffsetSpec.forTimestamp(now.minus(KEPT).toEpochMilli()));
      long below = Math.min(checkpointed, Math.min(folded, old));
      if (below <= offset(admin, OffsetSpec.earliest())) {
        return OptionalLong.empty();
      }
      get(admin.deleteRecords(Map.of(ledger, RecordsToDelete.beforeOffset(below))).all());
      return OptionalLong.of(below);
    } catch (InterruptedException e) {
      throw KafkaFailure.of(
          clients.bootstrapServers(), ledger.topic(), Duration.ofSeconds(LIMIT_SECONDS), e);
    } catch (ExecutionException | TimeoutException e) {
      // With the broker's own words: a right of another kind than writing may be missing.
      throw new BrokerUnreachable(clients.bootstrapServers(), Duration.ofSeconds(LIMIT_SECONDS), e);
    }
  }

  /** The offset that triage-stream has committed; 0 if it never ran or its group was deleted. */
  private long folded(Admin admin)
      throws ExecutionException, InterruptedException, TimeoutException {
    String group = clients.topics().applicationId();
    try {
      OffsetAndMetadata committed =
          get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).get(ledger);
      return committed == null ? 0 : committed.offset();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return 0;
      }
      throw e;
    }
  }

  /** The offset for this spec; -1 if no record is that new. */
  private long offset(Admin admin, OffsetSpec spec)
      throws ExecutionException, InterruptedException, TimeoutException {
    return get(admin.listOffsets(Map.of(ledger, spec)).partitionResult(ledger)).offset();
  }

  private static <T> T get(KafkaFuture<T> answer)
      throws ExecutionException, InterruptedException, TimeoutException {
    return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
