package dev.flyball.runner.protocol;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the ledger takes to show this runner its own entries, and sets the turns of
 * runners at one claim so far apart that a runner usually sees the claims of earlier turns first.
 * With turns closer than that, many runners claim the same request. Each such claim is an entry
 * that every runner reads, so the ledger would become slower, and the claims more.
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
   * @param shortest least time between two turns
   * @param longest most time that a round trip adds between two turns; an entry that is not read
   *     for so long may be lost
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

  /**
   * How long a request waits for the claim of a runner of this {@link RunnerCount#wave}. Each wait
   * is more than twice as long as the one before. So until a time {@code t} at most {@code 1 + 2 t
   * / shortest} runners claim a request, even if the round trip has grown and no runner has
   * measured it yet. The waits are also two recent round trips apart: then the claims of an earlier
   * turn are read in time, and usually one runner claims.
   */
  public long untilTurn(int wave, long now) {
    long open = sent == null ? 0 : now - sentAt;
    long apart = Math.min(2 * Math.max(recent, open), longest);
    return Math.max(((1L << wave) - 1) * shortest, wave * apart);
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
