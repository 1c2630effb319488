package dev.flyball.bench;

import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.RoundTrip;

/** One of the simulated runners that share a fold. */
final class Sharer {
  final String id;
  final LiveSessions sessions = new LiveSessions();
  final RoundTrip roundTrip;
  long renewals;
  long nextRenewal;
  long nextReport;
  long nextSettling;
  long pendingUntil;

  Sharer(String id, LeaseTimes times) {
    this.id = id;
    this.roundTrip = new RoundTrip(times.herd().toNanos(), times.late().toNanos());
  }

  boolean mayClaim(long now) {
    return sessions.size() < ScalePlan.SLOTS && now >= pendingUntil;
  }

  /** A runner's turn at a request, as the product's runners take it. */
  record Turn(Sharer sharer, int rank, long since) {
    boolean came(long now) {
      return now - since >= sharer.roundTrip.untilTurn(rank, now);
    }
  }
}
