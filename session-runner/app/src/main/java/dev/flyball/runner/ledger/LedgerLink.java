package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerReader.LedgerRecord;
import dev.flyball.kafka.LedgerUnusable;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.runner.protocol.LeaseTimes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger as the ledger's thread reads and appends it. Whatever a Kafka client throws is caught
 * here, and the call is tried again after a pause: a timeout, a broker that rejects the login for a
 * while, a machine without a free thread. Only {@link LedgerUnusable} is passed on: the ledger is
 * not the one that was read before.
 */
final class LedgerLink implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LedgerLink.class);
  private static final Duration OPEN_AGAIN = Duration.ofMillis(500);

  /** Short, because the thread that waits renews leases too. */
  private static final Duration READ_AGAIN = Duration.ofMillis(100);

  private final KafkaClients clients;
  private final LeaseTimes times;

  // Written by the ledger's thread, read by any.
  private volatile @Nullable LedgerReader reader;
  private volatile @Nullable LedgerWriter writer;
  private volatile @Nullable String trouble;

  LedgerLink(KafkaClients clients, LeaseTimes times) {
    this.clients = clients;
    this.times = times;
  }

  /**
   * Opens the ledger, however long no broker answers.
   *
   * @return false if {@code stopping} was set first
   * @throws LedgerUnusable if the log was cut above its newest checkpoint
   */
  boolean open(BooleanSupplier stopping) {
    while (!stopping.getAsBoolean()) {
      try {
        open();
        return true;
      } catch (LedgerUnusable e) {
        throw e;
      } catch (RuntimeException | Error e) {
        failed("the ledger cannot be opened", e, OPEN_AGAIN);
      }
    }
    return false;
  }

  private void open() {
    LedgerReader from = LedgerReader.open(clients, identityInterval());
    try {
      writer = LedgerWriter.open(clients, times.late());
      reader = from;
      trouble = null;
    } catch (RuntimeException | Error e) {
      from.close();
      throw e;
    }
  }

  /** Scaled with the other clocks, and never longer than the default. */
  private Duration identityInterval() {
    Duration renew = times.renew();
    Duration longest = LedgerReader.DEFAULT_IDENTITY_INTERVAL;
    return renew.compareTo(longest) < 0 ? renew : longest;
  }

  /** The state to begin with: the newest checkpoint's, or empty. */
  LedgerState start() {
    return opened(reader).start();
  }

  String topicId() {
    return opened(reader).topicId();
  }

  /** Whether every record that existed when the ledger was opened has been returned. */
  boolean caughtUp() {
    return opened(reader).caughtUp();
  }

  /**
   * Returns the next records; none if there are none or they cannot be read now.
   *
   * @throws LedgerUnusable if the ledger is not the one that was read before
   */
  List<LedgerRecord> poll(Duration atMost) {
    try {
      List<LedgerRecord> found = opened(reader).poll(atMost);
      trouble = null;
      return found;
    } catch (WakeupException e) {
      return List.of();
    } catch (LedgerUnusable e) {
      throw e;
    } catch (RuntimeException | Error e) {
      failed("the ledger cannot be read", e, READ_AGAIN);
      return List.of();
    }
  }

  /** Appends an entry, unless this is closed. */
  CompletableFuture<RecordMetadata> append(LedgerEntry entry) {
    LedgerWriter to = writer;
    return to == null
        ? CompletableFuture.failedFuture(new IllegalStateException("the ledger is not open"))
        : to.append(entry);
  }

  /** Ends a {@link #poll} that waits; any thread. */
  void wakeup() {
    LedgerReader from = reader;
    if (from != null) {
      from.wakeup();
    }
  }

  /** What is wrong now, one line; any thread. */
  Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  @Override
  public void close() {
    LedgerReader from = reader;
    LedgerWriter to = writer;
    reader = null;
    writer = null;
    try (to;
        from) {
      trouble = null;
    } catch (RuntimeException | Error e) {
      log.warn("ledger clients not closed: cause={}", e.toString());
    }
  }

  /** Logged once for each run of failures, and shown in health while it lasts. */
  private void failed(String what, Throwable why, Duration pause) {
    if (trouble == null) {
      log.warn("{}, trying again", what, why);
    }
    trouble = what + ": " + OneLine.first(why) + "; trying again";
    // Kafka's clients do not wait on an interrupted thread; this thread is ended by other means.
    boolean interrupted = Thread.interrupted();
    log.debug("{}: {} interrupted={}", what, why, interrupted);
    LockSupport.parkNanos(pause.toNanos());
  }

  private static LedgerReader opened(@Nullable LedgerReader reader) {
    if (reader == null) {
      throw new IllegalStateException("the ledger is not open");
    }
    return reader;
  }
}
