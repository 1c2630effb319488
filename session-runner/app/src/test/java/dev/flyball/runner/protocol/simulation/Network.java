package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.LedgerEntry;

/** What becomes of an append after send(): a failure says nothing about whether it was appended. */
final class Network {
  private static final long DELIVERY_TIMEOUT = 5 * World.SECOND;

  private final World world;
  private final Log log;
  private final int faulty;

  /**
   * @param faulty of a thousand appends, how many go wrong
   */
  Network(World world, Log log, int faulty) {
    this.world = world;
    this.log = log;
    this.faulty = faulty;
  }

  void send(Incarnation from, LedgerEntry entry) {
    if (entry instanceof LedgerEntry.Checkpoint && world.oneIn(3) && !world.healed()) {
      // More than a record may hold: the producer throws it away and says so.
      world.count(Fault.APPEND_TOO_LARGE);
      return;
    }
    long latency = world.between(World.MS, 8 * World.MS);
    if (world.random.nextInt(1_000) >= faulty || world.healed()) {
      attempt(from, entry, latency, world.now());
      return;
    }
    if (entry instanceof LedgerEntry.Renew) {
      from.mayNotKeepItsSlots();
    }
    switch (world.random.nextInt(4)) {
      case 0 -> world.count(Fault.APPEND_LOST);
      case 1 -> {
        world.count(Fault.APPEND_DELAYED);
        world.after(world.between(latency, DELIVERY_TIMEOUT), () -> log.append(entry));
      }
      case 2 -> late(entry);
      default -> {
        world.count(Fault.APPEND_DUPLICATED);
        world.after(latency, () -> log.append(entry));
        world.after(world.between(latency, 40 * World.SECOND), () -> log.append(entry));
      }
    }
  }

  /** It was in the broker's socket: the sender saw a timeout, and it is appended all the same. */
  private void late(LedgerEntry entry) {
    world.count(Fault.APPEND_LATE);
    world.after(world.between(DELIVERY_TIMEOUT, 50 * World.SECOND), () -> log.append(entry));
  }

  private void attempt(Incarnation from, LedgerEntry entry, long delay, long since) {
    world.after(
        delay,
        () -> {
          if (from.reaches() && !log.down()) {
            log.append(entry);
          } else if (world.now() - since > DELIVERY_TIMEOUT) {
            if (world.oneIn(5)) {
              late(entry);
            }
          } else if (from.alive()) {
            attempt(from, entry, 300 * World.MS, since);
          }
        });
  }
}
