package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LedgerState.Folded;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The ledger's topic, its broker's unreliable clock, and the fold of all of it: what is true. */
final class Log {
  private static final Instant START = Instant.parse("2026-11-21T23:50:00Z");

  private final World world;
  private final Watcher watcher;
  private final List<Appended> records = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();
  private LedgerState truth = LedgerState.empty();
  private long clockError;
  private long newestCheckpoint = -1;
  private boolean down;

  Log(World world, Watcher watcher) {
    this.world = world;
    this.watcher = watcher;
  }

  record Appended(long offset, LedgerEntry entry, Instant time) {}

  Instant clock() {
    return START.plusNanos(world.now() + clockError);
  }

  void stepClock(long by) {
    clockError += by;
  }

  boolean down() {
    return down;
  }

  void down(boolean is) {
    down = is;
  }

  void append(LedgerEntry entry) {
    long offset = records.size();
    var record = new Appended(offset, entry, clock());
    records.add(record);
    Folded folded = truth.fold(world.mutation.bend(entry, truth), offset, record.time);
    truth = folded.state();
    if (entry instanceof LedgerEntry.Checkpoint) {
      newestCheckpoint = offset;
    }
    world.tell(offset + " " + entry + " -> " + folded.effect().getClass().getSimpleName());
    watcher.folded(folded.effect(), truth, record);
    readers.forEach(Runnable::run);
  }

  void onAppend(Runnable reader) {
    readers.add(reader);
  }

  Appended at(long offset) {
    return records.get((int) offset);
  }

  long end() {
    return records.size();
  }

  LedgerState truth() {
    return truth;
  }

  LedgerEntry.Checkpoint checkpoint() {
    return newestCheckpoint < 0
        ? new LedgerEntry.Checkpoint(-1, 1, null, LedgerState.empty().snapshot())
        : (LedgerEntry.Checkpoint) at(newestCheckpoint).entry();
  }
}
