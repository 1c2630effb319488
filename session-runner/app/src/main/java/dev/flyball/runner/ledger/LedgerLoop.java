package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerCut;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerUnusable;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.LeaseHold;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger's thread: reads both topics, drives the participant and carries out its steps. Only
 * this thread uses the participant and the board. Other threads pass their inputs to it and go on.
 */
public final class LedgerLoop implements LeaseHold {
  private static final Logger log = LoggerFactory.getLogger(LedgerLoop.class);

  /** The gate's readings change by themselves, so the participant is called at least this often. */
  private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

  private final LeaseTimes times;
  private final RunnerCallbacks runner;
  private final ElapsedClock clock;
  private final RequestBoard board;
  private final Participant participant;
  private final RequestFeed feed;
  private final RequestIntake requests;
  private final RequestBodies bodies;
  private final Inbox inbox = new Inbox();
  private final Thread thread;

  private final StepExecutor acts;
  private final LedgerLink link;

  // Written by this thread, read by the watchdog and by the thread that shuts down.
  private volatile LedgerView view = LedgerView.NOT_READ;
  private volatile boolean stopping;
  private volatile @Nullable String halted;
  private volatile @Nullable String fault;

  /** Polled and not folded yet. */
  private final Deque<LedgerRecord> unread = new ArrayDeque<>();

  private long heardNanos;

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
    this.runner = runner;
    this.clock = clock;
    this.bodies = new RequestBodies(clients, this::nudge);
    this.feed = new RequestFeed(clients, this::nudge);
    this.board = new RequestBoard(runner.self(), runner.gate(), bodies);
    this.requests = new RequestIntake(feed::next, board, runner::deadLetter);
    this.participant =
        new Participant(
            times, seed, board, () -> UUID.randomUUID().toString(), RandomGenerator.getDefault());
    this.link = new LedgerLink(clients, times);
    this.acts =
        new StepExecutor(
            board, runner::begin, this::dead, new LedgerCutter(new LedgerCut(clients)));
    this.thread = Thread.ofPlatform().daemon().name("flyball-ledger").unstarted(this::run);
  }

  /** Starts the reading. */
  public void start() {
    thread.start();
  }

  /** The ledger's state when it was last read; any thread. */
  public LedgerView view() {
    return view;
  }

  /**
   * How long ago this runner last read the ledger, and how long ago a renewal last took effect; any
   * thread.
   */
  public LedgerAges ages() {
    long now = clock.nanos();
    long heard = view.heardNanos();
    long confirmed =
        participant.fences().values().stream().mapToLong(Fence::confirmedAt).min().orElse(now);
    return new LedgerAges(
        Duration.ofNanos(heard == 0 ? 0 : Math.max(0, now - heard)),
        Duration.ofNanos(Math.max(0, now - confirmed)));
  }

  /** What is wrong between this runner and the ledger, a line each; any thread. */
  public List<String> troubles() {
    var troubles = new ArrayList<>(view.read() ? ages().troubles(times) : List.<String>of());
    link.trouble().ifPresent(troubles::add);
    feed.trouble().ifPresent(troubles::add);
    troubles.addAll(requests.trouble());
    bodies.trouble().ifPresent(troubles::add);
    Optional.ofNullable(fault).ifPresent(troubles::add);
    return troubles;
  }

  /** What a person should check although the ledger is read and written; any thread. */
  public List<String> warnings() {
    var warnings = new ArrayList<String>();
    view.waitsForTriage().ifPresent(warnings::add);
    acts.refused().lately(times.beat().multipliedBy(3)).ifPresent(warnings::add);
    return warnings;
  }

  /** How many entries the broker rejected since the start; any thread. */
  public long refusedAppends() {
    return acts.refused().count();
  }

  /** Why this runner claims nothing until it is started again; empty while it works; any thread. */
  public Optional<String> halted() {
    String end = halted;
    String why = end == null ? view.stopped() : end;
    boolean died = why == null && !stopping && thread.getState() == Thread.State.TERMINATED;
    return Optional.ofNullable(died ? "the ledger's thread ended: see the log" : why);
  }

  /** Every session of this runner whose end the ledger does not show yet; any thread. */
  public Map<String, SessionHandle> sessions() {
    return board.sessions();
  }

  /**
   * Stops all claims. Returns once that is done and no claim of this runner is pending, or after
   * {@code limit}. A claim that takes effect when this runner no longer reads would hold its item
   * for a whole lease.
   */
  public void drain(Duration limit) {
    var told = new CompletableFuture<Void>();
    tell(now -> {
      now.drain();
      board.refuse("draining");
      told.complete(null);
      return List.of();
    });
    long end = System.nanoTime() + limit.toNanos();
    while (thread.isAlive()
        && System.nanoTime() < end
        && !(told.isDone() && acts.nothingOnItsWay())) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Reports that the ledger is not the one that was read before. */
  public void unusable(String reason) {
    tell(now -> now.ledgerUnusable(reason));
  }

  @Override
  public void dead(LedgerEntry.Release release) {
    tell(now -> now.dead(release, clock.nanos()));
  }

  @Override
  public void providerLimited(String provider, @Nullable Instant until, String why) {
    tell(now -> now.providerLimited(provider, until, why, clock.nanos()));
  }

  @Override
  public boolean confirmedLately(SessionHandle handle) {
    Fence fence = participant.fences().get(handle.session());
    return fence != null && clock.nanos() - fence.confirmedAt() < times.lease().toNanos() / 2;
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
    nudge();
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void nudge() {
    link.wakeup();
  }

  private void tell(Function<Participant, List<Step>> what) {
    inbox.add(what);
    nudge();
  }

  /**
   * Whatever ends the reading, the clients stay open until this loop is stopped. Own sessions are
   * killed, and their renewals and releases go on meanwhile.
   */
  private void run() {
    bodies.start();
    feed.start();
    try (feed;
        bodies;
        link) {
      Optional<LedgerWriter> writer = link.open(() -> stopping);
      if (writer.isPresent()) {
        acts.connected(writer.get(), link.topicId());
        read();
      }
    } catch (RuntimeException | Error e) {
      giveUp(e);
    } finally {
      acts.disconnected();
    }
  }

  private void read() {
    try {
      if (link.start().offset() >= 0) {
        acts.perform(participant.startFrom(link.start(), clock.nanos()));
      }
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
      turn();
      fault = null;
    } catch (LedgerUnusable | BrokenFold e) {
      throw e;
    } catch (RuntimeException | Error e) {
      if (fault == null) {
        log.error("a turn of the ledger's thread failed, trying again", e);
      }
      fault = "the ledger's thread failed and tries again: " + e;
      LockSupport.parkNanos(LONGEST_WAIT.toNanos());
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
    tell(now -> now.ledgerUnusable(reason));
    while (!stopping) {
      try {
        inbox.empty(participant, acts::perform);
        acts.perform(participant.tick(clock.nanos()));
        publish(view.read());
      } catch (RuntimeException | Error e) {
        log.error("a session's end was not reported to the ledger", e);
      }
      LockSupport.parkNanos(LONGEST_WAIT.toNanos());
    }
  }

  private void turn() {
    long wait = Math.clamp(participant.nextTick() - clock.nanos(), 0, LONGEST_WAIT.toNanos());
    unread.addAll(link.poll(Duration.ofNanos(wait)));
    long received = clock.nanos();
    requests.take();
    if (!unread.isEmpty()) {
      heardNanos = received;
    }
    for (var next = unread.poll(); next != null; next = unread.poll()) {
      entry(next, received);
    }
    inbox.empty(participant, acts::perform);
    boolean read = view.read();
    if (!read && requests.caughtUp() && link.caughtUp()) {
      read = true;
      acts.perform(participant.caughtUp(clock.nanos()));
    }
    acts.perform(participant.tick(clock.nanos()));
    board.unreadable().forEach(each -> runner.deadLetter(each.consumed(), each.reason()));
    LedgerState ledger = participant.ledger();
    requests.look(ledger, board.readTo(), received);
    boolean held = read && board.heldByCap(ledger, participant.ledgerNow(received));
    runner.gate().capped(held, ledger.cap());
    publish(read);
  }

  private void entry(LedgerRecord read, long received) {
    List<Step> steps;
    try {
      steps = participant.read(read.maybeEntry(), read.offset(), read.appendTime(), received);
    } catch (RuntimeException | Error e) {
      throw new BrokenFold(read.offset(), e);
    }
    if (read.entry() instanceof LedgerEntry.Claim claim) {
      acts.answered(claim, participant.ledger().lease(claim.session()), steps);
    } else {
      acts.perform(steps);
    }
  }

  private void publish(boolean read) {
    view = LedgerView.of(read, participant, link.position(), board.waiting(), heardNanos);
  }

  /** Half an entry was folded: from here on this runner's state may differ from the others'. */
  private static final class BrokenFold extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenFold(long offset, Throwable cause) {
      super("the entry at ledger offset " + offset + " could not be folded (" + cause + ")", cause);
    }
  }
}
