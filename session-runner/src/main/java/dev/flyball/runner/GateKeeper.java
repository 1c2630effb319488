package dev.flyball.runner;

import dev.flyball.runner.gate.GateDecision;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.gate.GateReadings;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.ledger.LocalGate;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the machine now and then, and decides with the newest answer. {@link #decide} belongs to the
 * ledger's thread; the rest is told by others.
 */
final class GateKeeper implements LocalGate {
  private static final long FRESH_NANOS = 250_000_000L;

  /** One session tries again after this. */
  private static final long FOLDER_PAUSE_NANOS = 30_000_000_000L;

  private final GateLimits limits;
  private final int slots;
  private final MachineReadings machine;
  private final IntSupplier hangingStarts;
  private final Consumer<Optional<String>> changed;

  // Written by the start-up thread and the stray counter, read by the ledger's thread.
  private volatile boolean sweepDone;
  private volatile int survivors;
  private volatile int strays;
  private volatile @Nullable Trouble trouble;

  private long readAt;
  private GateReadings read;
  private GateDecision.Kind refusing = GateDecision.Kind.SLOTS;

  private record Trouble(long since, String reason) {}

  /**
   * @param hangingStarts starts that were given up and still hang
   * @param changed told when the gate begins or ceases to refuse, with the reason or empty
   */
  GateKeeper(
      GateLimits limits,
      int slots,
      MachineReadings machine,
      IntSupplier hangingStarts,
      Consumer<Optional<String>> changed) {
    this.hangingStarts = hangingStarts;
    this.limits = limits;
    this.slots = slots;
    this.machine = machine;
    this.changed = changed;
    this.read = readings(0);
  }

  /** The start-up sweep has ended; sessions that it could not end keep their slots. */
  void swept(int surviving) {
    survivors = surviving;
    sweepDone = true;
  }

  boolean sweepDone() {
    return sweepDone;
  }

  int survivors() {
    return survivors;
  }

  void strays(int count) {
    strays = count;
  }

  int strays() {
    return strays;
  }

  @Override
  public GateDecision decide(int live) {
    long now = System.nanoTime();
    if (now - readAt > FRESH_NANOS) {
      readAt = now;
      read = readings(live);
    }
    GateDecision decision = decideNow(live, now);
    GateDecision.Kind kind =
        switch (decision) {
          case GateDecision.Open open -> GateDecision.Kind.SLOTS;
          case GateDecision.Refused refused -> refused.kind();
        };
    if (kind != refusing) {
      refusing = kind;
      changed.accept(
          decision instanceof GateDecision.Refused refused && kind != GateDecision.Kind.SLOTS
              ? Optional.of(refused.reason())
              : Optional.empty());
    }
    return decision;
  }

  /**
   * A runner whose journal cannot be written would claim every request, drop it unstarted and claim
   * it again; so it waits instead, and others may take them.
   */
  private GateDecision decideNow(int live, long now) {
    String hang = startTrouble();
    if (hang != null && hangingStarts.getAsInt() >= slots) {
      return new GateDecision.Refused(GateDecision.Kind.STARTS, hang);
    }
    Trouble folder = trouble;
    return folder != null && now - folder.since() < FOLDER_PAUSE_NANOS
        ? new GateDecision.Refused(GateDecision.Kind.DATA_FOLDER, folder.reason())
        : GateDecision.decide(limits, with(live));
  }

  /**
   * What is wrong with starts, null if nothing is known to be. Each hung start keeps a thread, so
   * with as many as slots nothing more is claimed until one of them returns; any thread.
   */
  @Nullable String startTrouble() {
    int hanging = hangingStarts.getAsInt();
    return hanging == 0
        ? null
        : hanging
            + " session starts hang in a repository, a disk or a fork: check their mounts; restart"
            + " the runner if they stay";
  }

  /** The journal refused a row; any thread. */
  void folderRefused(String reason) {
    trouble = new Trouble(System.nanoTime(), reason);
  }

  /** The journal took a row; any thread. */
  void folderWorks() {
    trouble = null;
  }

  /** What is wrong with the data folder, null if nothing is known to be. */
  @Nullable String folderTrouble() {
    Trouble folder = trouble;
    return folder == null ? null : folder.reason();
  }

  private GateReadings readings(int live) {
    return new GateReadings(
        sweepDone,
        live,
        slots - survivors,
        machine.load1(),
        machine.cpus(),
        machine.memoryAvailableBytes(),
        machine.pressurePercent(),
        strays);
  }

  private GateReadings with(int live) {
    return new GateReadings(
        sweepDone,
        live,
        slots - survivors,
        read.load1(),
        read.cpus(),
        read.memoryAvailableBytes(),
        read.pressurePercent(),
        strays);
  }
}
