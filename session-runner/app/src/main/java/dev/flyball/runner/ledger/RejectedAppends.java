package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Receipt;
import dev.flyball.kafka.ReplaceableProducer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries that the broker rejects for good, however often they are sent: too large, or not allowed.
 * The fold never shows them, so without this record a rejected release would be repeated silently.
 * Renewals that were not acknowledged, for whatever reason, are counted too. Written by the
 * ledger's thread and by its producer's thread; read by any.
 */
final class RejectedAppends {
  private static final Logger log = LoggerFactory.getLogger(RejectedAppends.class);

  private final AtomicLong count = new AtomicLong();
  private final AtomicLong renewals = new AtomicLong();
  private final Set<String> tooLarge = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Refusal last;

  private record Refusal(String text, long atNanos) {}

  /**
   * Returns what is appended for an entry. A release that was rejected for its size is replaced by
   * a short one, since a lease that nothing ends would keep its slot and its item for ever.
   */
  LedgerEntry sendable(LedgerEntry entry) {
    if (!(entry instanceof LedgerEntry.Release release) || !tooLarge.contains(release.session())) {
      return entry;
    }
    return new LedgerEntry.Release(
        release.session(),
        release.outcome(),
        "its release was replaced by a short one: the broker rejected it for its size",
        release.failure(),
        release.exit(),
        release.signal(),
        release.timings(),
        release.tokens(),
        release.costMicros(),
        new Receipt(
            release.receipt().level(),
            release.receipt().processesPeak(),
            release.receipt().memoryPeakBytes(),
            List.of(),
            release.receipt().survivors()),
        release.run());
  }

  /** Records that the ledger shows a session's end: nothing more is appended for it. */
  void closed(String session) {
    tooLarge.remove(session);
  }

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
    if (failure instanceof RecordTooLargeException && entry instanceof LedgerEntry.Release each) {
      tooLarge.add(each.session());
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
