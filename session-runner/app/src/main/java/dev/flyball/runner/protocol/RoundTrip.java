package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long a runner leaves work to those that rank before it: long enough to read their entries
 * first, which depends on how long the ledger takes to show an entry. Only the fold decides, so a
 * wait that is too short costs a void entry, and one that is too long costs time.
 *
 * <p>All times are nanoseconds on the runner's elapsed clock. Belongs to one thread.
 */
public final class RoundTrip {
  private final long shortest;
  private final long longest;

  /** The entry whose return is measured; one at a time. */
  private @Nullable LedgerEntry sent;

  private long sentAt;

  /** A longer round trip replaces it, a shorter one halves the distance. */
  private long recent;

  /**
   * @param shortest least wait for each runner that ranks before
   * @param longest most wait; an entry that is not read for so long may be lost
   */
  public RoundTrip(long shortest, long longest) {
    this.shortest = shortest;
    this.longest = longest;
  }

  /** Takes what this runner does now. */
  public void sent(List<Step> steps, long now) {
    if (sent != null && now - sentAt > longest) {
      measured(longest);
    }
    for (Step step : steps) {
      if (sent == null && step instanceof Step.Append append && measures(append.entry())) {
        sent = append.entry();
        sentAt = now;
      }
    }
  }

  /** Takes an entry of any runner that was read, with or without effect. */
  public void read(LedgerEntry entry, long receivedAt) {
    if (entry.equals(sent)) {
      measured(receivedAt - sentAt);
    }
  }

  /** The wait of a runner of this {@link RunnerCount#rank}: two round trips for each before it. */
  public long untilTurn(int rank, long now) {
    long open = sent == null ? 0 : now - sentAt;
    return Math.min(rank * Math.max(shortest, 2 * Math.max(recent, open)), longest);
  }

  private void measured(long nanos) {
    recent = Math.max(nanos, (recent + nanos) / 2);
    sent = null;
  }

  /** Kinds that runners send all the time. */
  private static boolean measures(LedgerEntry entry) {
    return entry instanceof LedgerEntry.Claim
        || entry instanceof LedgerEntry.Renew
        || entry instanceof LedgerEntry.Runner;
  }
}
