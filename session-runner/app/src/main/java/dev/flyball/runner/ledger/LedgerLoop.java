package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerUnusable;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.LeaseHold;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger's thread: it makes turns until it is stopped, whatever fails meanwhile. Other threads
 * pass their inputs to it and go on.
 */
public final class LedgerLoop implements LeaseHold {
  private static final Logger log = LoggerFactory.getLogger(LedgerLoop.class);

  private final LeaseTimes times;
  private final ElapsedClock clock;
  private final LedgerTurn turn;
  private final Thread thread;

  // Written by this thread, read by the watchdog and by the thread that shuts down.
  private volatile boolean stopping;
  private volatile @Nullable String halted;
  private volatile @Nullable String fault;

  /**
   * Creates the loop; {@link #start} runs it.
   *
   * @param seed the first entry of an empty ledger
   */
  public LedgerLoop(
      KafkaClients clients,
      LeaseTimes times,
      LedgerEntry.Init seed,
      RunnerCallbacks runner,
      ElapsedClock clock) {
    this.times = times;
    this.clock = clock;
    this.turn = new LedgerTurn(clients, times, seed, runner, clock);
    this.thread = Thread.ofPlatform().daemon().name("flyball-ledger").unstarted(this::run);
  }

  /** Starts the reading. */
  public void start() {
    thread.start();
  }

  /** The ledger's state when it was last read; any thread. */
  public LedgerView view() {
    return turn.view();
  }

  /**
   * How long ago this runner last read the ledger, and how long ago a renewal last took effect; any
   * thread.
   */
  public LedgerAges ages() {
    long now = clock.nanos();
    long read = turn.view().lastReadNanos();
    long confirmed =
        turn.sessions().values().stream()
            .flatMapToLong(each -> each.confirmedAt().stream())
            .min()
            .orElse(now);
    return new LedgerAges(
        Duration.ofNanos(read == 0 ? 0 : Math.max(0, now - read)),
        Duration.ofNanos(Math.max(0, now - confirmed)));
  }

  /** What is wrong between this runner and the ledger, a line each; any thread. */
  public List<String> troubles() {
    var troubles = new ArrayList<>(view().read() ? ages().troubles(times) : List.<String>of());
    troubles.addAll(turn.troubles());
    Optional.ofNullable(fault).ifPresent(troubles::add);
    return troubles;
  }

  /** Partitions of session-requests whose broker lost records, a line each; any thread. */
  public List<String> lostRequests() {
    return turn.lostRequests();
  }

  /** What a person should check although the ledger is read and written; any thread. */
  public List<String> warnings() {
    var warnings = new ArrayList<String>();
    view().waitsForTriage().ifPresent(warnings::add);
    turn.rejected().lately(times.heartbeat().multipliedBy(3)).ifPresent(warnings::add);
    return warnings;
  }

  /** How many entries the broker rejected since the start; any thread. */
  public long refusedAppends() {
    return turn.rejected().count();
  }

  /** How many renewals the broker did not acknowledge since the start; any thread. */
  public long failedRenewals() {
    return turn.rejected().failedRenewals();
  }

  /** How many entries were folded since the start; any thread. */
  public long folded() {
    return turn.folded();
  }

  /** Why this runner claims nothing until it is started again; empty while it works; any thread. */
  public Optional<String> halted() {
    String end = halted;
    String why = end == null ? view().stopped() : end;
    boolean died = why == null && !stopping && thread.getState() == Thread.State.TERMINATED;
    return Optional.ofNullable(died ? "the ledger's thread ended: see the log" : why);
  }

  /** Whether the ledger may still show the end of a session; any thread. */
  public boolean readable() {
    return halted == null;
  }

  /** Every session of this runner whose end the ledger does not show yet; any thread. */
  public Map<String, SessionHandle> sessions() {
    return turn.sessions();
  }

  /**
   * Stops all claims. Returns once that is done and no claim of this runner is pending, or after
   * {@code limit}. A claim that takes effect when this runner no longer reads would hold its item
   * for a whole lease.
   */
  public void drain(Duration limit) {
    var drained = new CompletableFuture<Void>();
    turn.pass(to -> {
      List<Step> none = turn.drain(to);
      drained.complete(null);
      return none;
    });
    long end = System.nanoTime() + limit.toNanos();
    while (thread.isAlive()
        && System.nanoTime() < end
        && !(drained.isDone() && turn.nothingOnItsWay())) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Reports that the ledger is not the one that was read before. */
  public void unusable(String reason) {
    turn.pass(to -> to.ledgerUnusable(reason));
  }

  @Override
  public void dead(LedgerEntry.Release release) {
    turn.dead(release);
  }

  @Override
  public void providerLimited(String provider, @Nullable UnaryOperator<Instant> until, String why) {
    turn.pass(to -> to.providerLimited(provider, until, why, clock.nanos()));
  }

  @Override
  public boolean confirmedLately(SessionHandle handle) {
    OptionalLong confirmed = handle.confirmedAt();
    return confirmed.isPresent()
        && clock.nanos() - confirmed.getAsLong() < times.lease().toNanos() / 2;
  }

  @Override
  public Duration patience() {
    return times.lease();
  }

  @Override
  public long nowNanos() {
    return clock.nanos();
  }

  /** Stops reading, waits, and closes the clients. Sessions must have been ended before. */
  public void stop() {
    stopping = true;
    turn.wakeup();
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Whatever ends the reading, the clients stay open until this loop is stopped. Own sessions are
   * killed, and their renewals and releases go on meanwhile.
   */
  private void run() {
    try (turn) {
      if (turn.open(() -> stopping)) {
        read();
      }
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
  }

  private void read() {
    try {
      turn.begin();
      while (!stopping) {
        guardedTurn();
      }
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
  }

  /** Only another ledger, or an entry that broke the fold, may end the turns. */
  private void guardedTurn() {
    try {
      turn.run();
      fault = null;
    } catch (LedgerUnusable | LedgerTurn.BrokenFold e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (fault == null) {
        log.error("a turn of the ledger's thread failed, trying again", e);
      }
      fault = "the ledger's thread failed and tries again: " + e;
      LockSupport.parkNanos(LedgerTurn.LONGEST_WAIT.toNanos());
    }
  }

  /**
   * Kills all sessions after the ledger became unreadable. Their ends are still reported, and
   * nothing is claimed. Errors are caught too, because if this thread ended, every renewal and
   * release would end.
   */
  private void giveUp(Throwable why) {
    String reason =
        why instanceof LedgerUnusable unusable
            ? String.valueOf(unusable.getMessage())
            : "ledger thread failed: " + why + "; start this runner again";
    halted = reason;
    if (!(why instanceof LedgerUnusable)) {
      log.error("every session is ended and this runner claims nothing", why);
    }
    turn.pass(to -> to.ledgerUnusable(reason));
    boolean last;
    do {
      // One more turn after the stop: it sends the releases that were handed over right before.
      last = stopping;
      try {
        turn.runWithoutReading();
      } catch (RuntimeException | Error e) {
        log.error("a session's end was not reported to the ledger", e);
      }
      if (!last) {
        LockSupport.parkNanos(LedgerTurn.LONGEST_WAIT.toNanos());
      }
    } while (!last);
  }
}
