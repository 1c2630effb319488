package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.ReplaceableProducer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries that the broker rejects for good, however often they are sent, because they are not
 * allowed. The fold never shows them, so without this record they would be repeated silently.
 * Renewals that were not acknowledged, for whatever reason, are counted too. Written by the
 * ledger's thread and by its producer's thread; read by any.
 */
final class RejectedAppends {
  private static final Logger log = LoggerFactory.getLogger(RejectedAppends.class);

  private final AtomicLong count = new AtomicLong();
  private final AtomicLong renewals = new AtomicLong();
  private volatile @Nullable Refusal last;

  private record Refusal(String text, long atNanos) {}

  /**
   * Takes the outcome of an append. Only a rejection proves anything; all else is shown by the fold
   * alone.
   */
  void answered(LedgerEntry entry, @Nullable Exception failure) {
    if (failure == null) {
      return;
    }
    if (entry instanceof LedgerEntry.Renew) {
      renewals.incrementAndGet();
    }
    String kind = entry.getClass().getSimpleName();
    if (!ReplaceableProducer.refusesRecord(failure)) {
      log.debug("append not acknowledged: entry={} cause={}", kind, failure.toString());
      return;
    }
    int bytes = RecordJson.bytes(entry).length;
    count.incrementAndGet();
    last =
        new Refusal(kind + " of " + bytes + " bytes: " + failure.getMessage(), System.nanoTime());
    log.error(
        "ledger entry rejected: entry={} bytes={} reason={}", kind, bytes, failure.toString());
  }

  /** How many were rejected since this process started. */
  long count() {
    return count.get();
  }

  /** How many renewals were not acknowledged since this process started; a timeout is one too. */
  long failedRenewals() {
    return renewals.get();
  }

  /** The last rejection, while it is younger than this. */
  Optional<String> lately(Duration age) {
    Refusal refusal = last;
    return refusal == null || System.nanoTime() - refusal.atNanos() > age.toNanos()
        ? Optional.empty()
        : Optional.of(
            "ledger entry rejected, " + refusal.text() + "; see the log for the session it ends");
  }
}
