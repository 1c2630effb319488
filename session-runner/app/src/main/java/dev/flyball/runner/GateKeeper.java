package dev.flyball.runner;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.gate.GateRefusal.Kind;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.ledger.RunnerCallbacks;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the machine at intervals, and decides with the newest reading. Only the ledger's thread
 * calls {@link #refusal} and {@link #capped}; other threads report the rest.
 */
final class GateKeeper implements RunnerCallbacks.Gate {
  private static final long FRESH_NANOS = 250_000_000L;

  /** While requests wait, a permit that becomes free is soon taken again. */
  private static final long CALM_NANOS = 10_000_000_000L;

  /**
   * Free disk space below which no session starts: a full disk would end all that run, and the
   * runner. Less than a session's output and journal need is no use.
   */
  static final long LEAST_DISK_BYTES = 256L << 20;

  private static final Set<Kind> OVERLOAD = EnumSet.of(Kind.MEMORY, Kind.PRESSURE, Kind.LOAD);

  private final GateLimits limits;
  private final int slots;
  private final MachineReadings machine;
  private final IntSupplier hangingStarts;
  private final LongSupplier nanos;
  private final Consumer<Optional<String>> changed;

  // Written by the process monitor, read by the ledger's thread and health.
  private volatile boolean sweepDone;
  private volatile int unkillable;
  private volatile int strays;
  private volatile long diskFree = Long.MAX_VALUE;

  private long readAt;
  private MachineReadings.Reading read;
  // Written by the ledger's thread, read by metrics.
  private volatile Optional<GateRefusal> refusal = Optional.empty();

  /** The cap that stops claims, until {@link #CALM_NANOS} after it last stopped one. */
  private @Nullable String cap;

  private long cappedAt;
  private @Nullable String saidKind;

  /**
   * Creates a gate that is shut until {@link #swept} is called.
   *
   * @param hangingStarts starts that were given up and still hang
   * @param changed called when the gate shuts or opens, with the reason or empty
   */
  GateKeeper(
      GateLimits limits,
      int slots,
      MachineReadings machine,
      IntSupplier hangingStarts,
      LongSupplier nanos,
      Consumer<Optional<String>> changed) {
    this.limits = limits;
    this.slots = slots;
    this.machine = machine;
    this.hangingStarts = hangingStarts;
    this.nanos = nanos;
    this.changed = changed;
    this.readAt = nanos.getAsLong();
    this.read = machine.now();
  }

  /**
   * Records that a sweep has ended. Each session whose processes it could not end takes a slot
   * away, until a later sweep finds them ended.
   */
  void swept(int sessions) {
    unkillable = sessions;
    sweepDone = true;
  }

  boolean sweepDone() {
    return sweepDone;
  }

  @Override
  public int unkillable() {
    return unkillable;
  }

  void strays(int count) {
    strays = count;
  }

  int strays() {
    return strays;
  }

  /** Records how many bytes are free where the data folder is; any thread. */
  void diskFree(long bytes) {
    diskFree = bytes;
  }

  /** What is wrong with the disk; null if enough is free. Any thread. */
  @Nullable String diskTrouble() {
    long free = diskFree;
    return free >= LEAST_DISK_BYTES
        ? null
        : (free >> 20)
            + " MB of disk free in the data folder, needs "
            + (LEAST_DISK_BYTES >> 20)
            + " MB; free space there";
  }

  /** How many sessions can run here: the slots that no unkillable session holds; any thread. */
  int usableSlots() {
    return Math.max(0, slots - unkillable);
  }

  /** Whether it was open when it was last asked; any thread. */
  boolean open() {
    return refusal.isEmpty();
  }

  /** Why a second session may not start beside the first; empty while it may. Any thread. */
  Optional<String> overloaded() {
    return refusal.filter(each -> OVERLOAD.contains(each.kind())).map(GateRefusal::reason);
  }

  /** Resident memory of this process, 0 if unknown; any thread. */
  long ownMemoryBytes() {
    return machine.ownMemoryBytes();
  }

  @Override
  public Optional<GateRefusal> refusal(int live) {
    long now = nanos.getAsLong();
    if (now - readAt > FRESH_NANOS) {
      readAt = now;
      read = machine.now();
    }
    refusal = reason(live);
    say();
    return refusal;
  }

  @Override
  public void capped(boolean stopped, int limit) {
    long now = nanos.getAsLong();
    if (stopped) {
      cap = "global session limit reached (" + limit + ")";
      cappedAt = now;
    } else if (now - cappedAt >= CALM_NANOS) {
      cap = null;
    }
    say();
  }

  /**
   * Reports a change of the gate. Full slots are normal operation and are not reported. The
   * runner's own reasons take precedence over a reached cap.
   */
  private void say() {
    Optional<GateRefusal> own = refusal.filter(each -> each.kind() != Kind.SLOTS);
    // Figures within a reason change all the time; a kind does not.
    String kind = own.map(each -> each.kind().label()).orElse(cap);
    if (!Objects.equals(kind, saidKind)) {
      saidKind = kind;
      changed.accept(own.map(GateRefusal::reason).or(() -> Optional.ofNullable(cap)));
    }
  }

  /**
   * With no live session a runner lets one start whatever the load of the machine, so that a busy
   * build machine still makes progress; everything else always applies.
   */
  private Optional<GateRefusal> reason(int live) {
    String hang = startTrouble();
    if (hang != null && hangingStarts.getAsInt() >= slots) {
      return refused(Kind.STARTS, hang);
    }
    if (!sweepDone) {
      return refused(Kind.SWEEPING, "the sweep of earlier sessions has not ended");
    }
    String disk = diskTrouble();
    if (disk != null) {
      return refused(Kind.DISK, disk);
    }
    if (live >= slots) {
      return refused(Kind.SLOTS, live + " of " + slots + " slots are taken");
    }
    if (live + unkillable >= slots) {
      return refused(
          Kind.UNKILLABLE,
          "processes of "
              + unkillable
              + " earlier sessions cannot be ended and take slots of "
              + slots);
    }
    return live == 0 ? Optional.empty() : overload();
  }

  /** What the machine has too much or too little of for one more session. */
  private Optional<GateRefusal> overload() {
    if (strays >= GateLimits.STRAYS_SWEEP) {
      return refused(Kind.STRAYS, strays + " stray processes, limit " + GateLimits.STRAYS_SWEEP);
    }
    if (read.memoryAvailableBytes() < limits.memoryBytes()) {
      return refused(
          Kind.MEMORY,
          (read.memoryAvailableBytes() >> 20)
              + " MB of memory available, needs "
              + (limits.memoryBytes() >> 20));
    }
    if (read.pressurePercent() > limits.pressurePercent()) {
      return refused(
          Kind.PRESSURE,
          String.format(
              Locale.ROOT,
              "pressure %.0f %%, limit %d %%",
              read.pressurePercent(),
              limits.pressurePercent()));
    }
    double highest = limits.loadPerCpu() * read.cpus();
    return read.load1() < highest
        ? Optional.empty()
        : refused(
            Kind.LOAD, String.format(Locale.ROOT, "load %.2f, limit %.2f", read.load1(), highest));
  }

  private static Optional<GateRefusal> refused(Kind kind, String reason) {
    return Optional.of(new GateRefusal(kind, reason));
  }

  /**
   * What is wrong with starts, null if no start hangs. Each hung start keeps a thread. Once as many
   * starts hang as there are slots, nothing more is claimed until one of them returns. Any thread.
   */
  @Nullable String startTrouble() {
    int hanging = hangingStarts.getAsInt();
    return hanging == 0
        ? null
        : hanging
            + " session starts hang in a repository, a disk or a fork: check their mounts; restart"
            + " the runner if they stay";
  }

  /** What is wrong with starts, the disk and the processes of ended sessions; any thread. */
  Health health() {
    int stray = strays;
    int lost = unkillable;
    return degraded("disk", diskTrouble())
        .and(degraded("starts-hang", startTrouble()))
        .and(
            degraded(
                "slots-lost",
                lost == 0
                    ? null
                    : "processes of "
                        + lost
                        + " earlier sessions cannot be ended: "
                        + usableSlots()
                        + " of "
                        + slots
                        + " slots are left"))
        .and(
            degraded("strays", stray < GateLimits.STRAYS_WARN ? null : stray + " stray processes"));
  }

  private static Health degraded(String what, @Nullable String why) {
    return why == null ? Health.healthy() : Health.degraded(what, why);
  }
}
