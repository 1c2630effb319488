package dev.flyball.kafka;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer that is replaced when it fails for a reason other than time or size. After one
 * rejection, for example while an access rule was missing, Kafka's client may reject every later
 * send. It is replaced on another thread, because a new producer's first metadata may be slow.
 * Thread-safe; never used in a transaction.
 */
public final class ReplaceableProducer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplaceableProducer.class);

  private final String purpose;
  private final Supplier<? extends Producer<String, byte[]>> connect;
  private final Duration closing;
  private final AtomicBoolean replacing = new AtomicBoolean();

  // Written by the constructor and by the thread that replaces it, read by the threads that send.
  private volatile Producer<String, byte[]> current;
  private volatile boolean closed;

  /**
   * Connects.
   *
   * @param purpose the producer's name in the log
   * @param closing how long a closed or replaced producer may take to send what it was given
   */
  public ReplaceableProducer(
      String purpose, Supplier<? extends Producer<String, byte[]>> connect, Duration closing) {
    this.purpose = purpose;
    this.connect = connect;
    this.closing = closing;
    this.current = connect.get();
  }

  /**
   * Whether the broker rejects this record, so that sending the same again changes nothing. A
   * producer whose epoch or sequence is no longer known proves nothing about its record.
   */
  public static boolean refusesRecord(Throwable failure) {
    return switch (failure) {
      case RecordTooLargeException tooLarge -> true;
      case RetriableException passing -> false;
      case OutOfOrderSequenceException lost -> false;
      case InvalidProducerEpochException old -> false;
      case InvalidPidMappingException unknown -> false;
      case ProducerFencedException fenced -> false;
      case ApiException failed -> true;
      default -> false;
    };
  }

  /** Sends a record; the answer or failure completes the future, mostly on a producer's thread. */
  public CompletableFuture<RecordMetadata> send(ProducerRecord<String, byte[]> record) {
    var answer = new CompletableFuture<RecordMetadata>();
    while (!answer.isDone()) {
      Producer<String, byte[]> by = current;
      try {
        var _ =
            by.send(
                record,
                (metadata, failure) -> {
                  if (failure == null) {
                    answer.complete(metadata);
                  } else {
                    failed(by, failure);
                    answer.completeExceptionally(failure);
                  }
                });
        return answer;
      } catch (KafkaException e) {
        failed(by, e);
        answer.completeExceptionally(e);
      } catch (RuntimeException | Error e) {
        if (e instanceof IllegalStateException && !closed && !by.equals(current)) {
          LOG.debug("{} producer was replaced during a send", purpose);
        } else {
          answer.completeExceptionally(e);
        }
      }
    }
    return answer;
  }

  /** Replaces a producer only for failures with its own records, because its successor may work. */
  private void failed(Producer<String, byte[]> by, Exception failure) {
    boolean usable =
        failure instanceof RetriableException || failure instanceof RecordTooLargeException;
    if (!usable && by.equals(current) && !closed && replacing.compareAndSet(false, true)) {
      Thread.ofVirtual().name("replace-" + purpose).start(() -> replace(by));
    }
  }

  private void replace(Producer<String, byte[]> failed) {
    try {
      if (!failed.equals(current)) {
        return;
      }
      current = connect.get();
    } catch (RuntimeException | Error e) {
      // The next rejected record tries again.
      LOG.warn("{} producer is not replaced yet: {}", purpose, e.toString());
      return;
    } finally {
      replacing.set(false);
    }
    failed.close(closing);
    if (closed) {
      current.close(Duration.ZERO);
    }
  }

  @Override
  public void close() {
    closed = true;
    current.close(closing);
  }
}
