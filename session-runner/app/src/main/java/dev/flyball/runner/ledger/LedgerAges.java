package dev.flyball.runner.ledger;

import dev.flyball.runner.protocol.LeaseTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * How long a runner and the ledger have had no news of each other. A heartbeat that fails has to be
 * seen before it ends a session.
 *
 * @param read since the last entry was read; a runner's own entries come at least every heartbeat
 *     interval
 * @param renewal since the send of the last renewal that took effect, for the session with the
 *     longest such time; zero while none runs
 */
public record LedgerAges(Duration read, Duration renewal) {

  /** Describes what is wrong, a line each; empty if nothing is. */
  List<String> troubles(LeaseTimes times) {
    var troubles = new ArrayList<String>(2);
    if (read.compareTo(times.heartbeat().multipliedBy(3)) > 0) {
      troubles.add("no ledger entry for " + read.toSeconds() + " s: is the broker there?");
    }
    // A renewal is sent every {@code renew}. Two that failed are no accident, and the fence is
    // still ahead.
    if (renewal.compareTo(times.lease().dividedBy(2)) > 0) {
      troubles.add(
          "no renewal took effect for "
              + renewal.toSeconds()
              + " s; sessions are ended after "
              + times.lease().minus(times.margin()).toSeconds()
              + " s: is the broker there?");
    }
    return troubles;
  }
}
