package dev.flyball.runner.lease;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Watches the sessions of others. It may say that a lease is over once its own clock has advanced a
 * full lease since it received that lease's last record; a participant that has just started
 * received them all at its start. Never persisted.
 */
final class Witness {
  private final Clockwork clockwork;
  private final Map<String, Watch> watches = new HashMap<>();

  Witness(Clockwork clockwork) {
    this.clockwork = clockwork;
  }

  private record Watch(long seen, long receivedAt, long nextSend) {}

  void received(Lease lease, long receivedAt) {
    watches.put(lease.session(), new Watch(lease.seen(), receivedAt, Long.MIN_VALUE));
  }

  void ended(String session) {
    watches.remove(session);
  }

  List<Step> expiries(long now) {
    List<Step> steps = new ArrayList<>();
    watches.replaceAll((session, watch) -> {
      if (now < due(watch)) {
        return watch;
      }
      steps.add(new Step.Append(new LedgerEntry.Expire(session, watch.seen())));
      return new Watch(watch.seen(), watch.receivedAt(), now + clockwork.retry());
    });
    return steps;
  }

  long nextTick() {
    return watches.values().stream().mapToLong(this::due).min().orElse(Long.MAX_VALUE);
  }

  private long due(Watch watch) {
    return Math.max(watch.receivedAt() + clockwork.lease(), watch.nextSend());
  }
}
