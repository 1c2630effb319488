package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerCut;
import dev.flyball.kafka.LedgerReader.LedgerRecord;
import dev.flyball.kafka.LedgerUnusable;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Health.Condition;
import dev.flyball.ops.telemetry.Health.Status;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.execution.Sessions;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import dev.flyball.runner.protocol.Unsettled;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger's thread. It makes turns until it is stopped, whatever fails meanwhile: read both
 * topics, fold, and carry out what the participant decides. Other threads pass their inputs to it
 * and go on; the public methods are for any thread, the others belong to this one.
 */
public final class LedgerLoop implements Sessions.Ledger {
  private static final Logger log = LoggerFactory.getLogger(LedgerLoop.class);

  /** The gate's readings change by themselves, so the participant is called at least this often. */
  private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

  /**
   * The same while no request waits and no session runs: the gate's readings then decide nothing. A
   * record ends the wait, and renewals have their own times.
   */
  private static final Duration IDLE_WAIT = Duration.ofSeconds(1);

  private final LeaseTimes times;
  private final RunnerCallbacks runner;
  private final ElapsedClock clock;
  private final RequestBodies bodies;
  private final RequestBoard board;
  private final RequestFeed requests;
  private final Participant participant;
  private final LedgerLink link;
  private final LedgerCut cut;
  private final StepExecutor steps;
  private final Thread thread;

  /** What other threads pass to the participant, in order of arrival. */
  private final ConcurrentLinkedQueue<Function<Participant, List<Step>>> inbox =
      new ConcurrentLinkedQueue<>();

  private final AtomicLong folded = new AtomicLong();
  private final AtomicBoolean cutting = new AtomicBoolean();

  // Written by this thread, read by any.
  private volatile View view = View.NOT_READ;
  private volatile @Nullable String halted;
  private volatile @Nullable String fault;
  private volatile boolean stopping;

  /** Polled and not folded yet. */
  private final Deque<LedgerRecord> unread = new ArrayDeque<>();

  private boolean inputFailed;
  private long lastReadNanos;

  /**
   * The ledger when it was last read.
   *
   * @param read whether it was read to the end that it had at start
   * @param stopped why this runner claims nothing until an operator acts
   * @param lastReadNanos when the last entry was read, elapsed nanoseconds; a runner's own entries
   *     come at least every heartbeat interval
   */
  public record View(
      boolean read, @Nullable String stopped, long lastReadNanos, LedgerState ledger) {
    private static final View NOT_READ = new View(false, null, 0, LedgerState.empty());
  }

  /**
   * How long a runner and the ledger have had no news of each other. A heartbeat that fails has to
   * be seen before it ends a session.
   *
   * @param read since the last entry was read
   * @param renewal since the send of the last renewal that took effect, for the session with the
   *     longest such time; zero while none runs
   */
  public record Ages(Duration read, Duration renewal) {

    /** Describes what is wrong, a line each; empty if nothing is. */
    List<Condition> troubles(LeaseTimes times) {
      var troubles = new ArrayList<Condition>(2);
      if (read.compareTo(times.heartbeat().multipliedBy(3)) > 0) {
        troubles.add(
            new Condition(
                "ledger-silent",
                "no ledger entry for " + read.toSeconds() + " s: is the broker there?"));
      }
      // A renewal is sent every {@code renew}. Two that failed are no accident, and the fence is
      // still ahead.
      if (renewal.compareTo(times.lease().dividedBy(2)) > 0) {
        troubles.add(
            new Condition(
                "renewals",
                "no renewal took effect for "
                    + renewal.toSeconds()
                    + " s; sessions are ended after "
                    + times.lease().minus(times.margin()).toSeconds()
                    + " s: is the broker there?"));
      }
      return troubles;
    }
  }

  /** Half an entry was folded: from here on this runner's state may differ from the others'. */
  private static final class BrokenFold extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenFold(long offset, Throwable cause) {
      super("the entry at ledger offset " + offset + " could not be folded (" + cause + ")", cause);
    }
  }

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
    this.link = new LedgerLink(clients, times);
    this.cut = new LedgerCut(clients);
    this.bodies = new RequestBodies(clients);
    this.board = new RequestBoard(runner.self(), runner.gate(), runner.declines());
    this.requests = new RequestFeed(clients, board, runner::deadLetter, link::wakeup);
    this.participant =
        new Participant(
            times, seed, board, () -> UUID.randomUUID().toString(), RandomGenerator.getDefault());
    this.steps = new StepExecutor(board, link, bodies, runner::begin, this::dead, this::cut);
    this.thread = Thread.ofPlatform().daemon().name("flyball-ledger").unstarted(this::run);
  }

  /** Starts the reading. */
  public void start() {
    thread.start();
  }

  /** The ledger when it was last read. */
  public View view() {
    return view;
  }

  /** How long ago this runner last read the ledger, and how long ago a renewal last took effect. */
  public Ages ages() {
    long now = clock.nanos();
    long read = view.lastReadNanos();
    long confirmed =
        sessions().values().stream()
            .flatMapToLong(each -> each.confirmedAt().stream())
            .min()
            .orElse(now);
    return new Ages(
        Duration.ofNanos(read == 0 ? 0 : Math.max(0, now - read)),
        Duration.ofNanos(Math.max(0, now - confirmed)));
  }

  /** What is wrong between this runner, the ledger and the requests. */
  public Health health() {
    Optional<String> end = halted();
    if (end.isPresent()) {
      return Health.halted(end.get());
    }
    View now = view;
    var troubles = new ArrayList<>(now.read() ? ages().troubles(times) : List.<Condition>of());
    link.trouble().ifPresent(it -> troubles.add(new Condition("ledger-link", it)));
    requests.trouble().ifPresent(it -> troubles.add(new Condition("requests-feed", it)));
    Optional.ofNullable(fault).ifPresent(it -> troubles.add(new Condition("ledger-fault", it)));
    var warnings = new ArrayList<Condition>();
    Unsettled.tooMany(now.ledger())
        .ifPresent(it -> warnings.add(new Condition("unsettled-items", it)));
    steps
        .rejections()
        .lately(times.heartbeat().multipliedBy(3))
        .ifPresent(it -> warnings.add(new Condition("entries-rejected", it)));
    Health health = now.read() ? Health.healthy() : Health.starting("reading the ledger");
    if (!troubles.isEmpty()) {
      health = health.and(new Health(Status.DEGRADED, false, troubles));
    }
    List<String> lost = requests.lost();
    if (!lost.isEmpty()) {
      var condition = new Condition("requests-lost", String.join("; ", lost));
      health = health.and(new Health(Status.UNHEALTHY, true, List.of(condition)));
    }
    return health.and(Health.degraded(warnings));
  }

  /** How many entries the broker rejected since the start. */
  public long refusedAppends() {
    return steps.rejections().count();
  }

  /** How many renewals the broker did not acknowledge since the start. */
  public long failedRenewals() {
    return steps.rejections().failedRenewals();
  }

  /** How many entries were folded since the start. */
  public long folded() {
    return folded.get();
  }

  /** Why this runner claims nothing until it is started again; empty while it works. */
  private Optional<String> halted() {
    String end = halted;
    String why = end == null ? view.stopped() : end;
    boolean died = why == null && !stopping && thread.getState() == Thread.State.TERMINATED;
    return Optional.ofNullable(died ? "the ledger's thread ended: see the log" : why);
  }

  /** Whether the ledger may still show the end of a session. */
  public boolean readable() {
    return halted == null;
  }

  /** Every session of this runner whose end the ledger does not show yet. */
  public Map<String, Session> sessions() {
    return board.sessions();
  }

  /**
   * Stops all claims. Returns once that is done and no claim of this runner is pending, or after
   * {@code limit}. A claim that takes effect when this runner no longer reads would hold its item
   * for a whole lease.
   */
  public void drain(Duration limit) {
    var drained = new CompletableFuture<Void>();
    pass(to -> {
      to.drain();
      board.refuse("draining");
      drained.complete(null);
      return List.of();
    });
    long end = System.nanoTime() + limit.toNanos();
    while (thread.isAlive()
        && System.nanoTime() < end
        && !(drained.isDone() && steps.nothingOnItsWay())) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Reports that the ledger is not the one that was read before. */
  public void unusable(String reason) {
    pass(to -> to.ledgerUnusable(reason));
  }

  @Override
  public void dead(LedgerEntry.Release release) {
    pass(to -> to.dead(release, clock.nanos()));
  }

  @Override
  public void providerLimited(String provider, @Nullable UnaryOperator<Instant> until, String why) {
    pass(to -> to.providerLimited(provider, until, why, clock.nanos()));
  }

  @Override
  public boolean confirmedLately(Session session) {
    OptionalLong confirmed = session.confirmedAt();
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
    link.wakeup();
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pass(Function<Participant, List<Step>> input) {
    inbox.add(input);
    link.wakeup();
  }

  /**
   * Whatever ends the reading, the clients stay open until this loop is stopped. Own sessions are
   * killed, and their renewals and releases go on meanwhile.
   */
  private void run() {
    try (requests;
        bodies;
        link) {
      try {
        requests.start();
        if (link.open(() -> stopping)) {
          read();
        }
      } catch (RuntimeException | Error e) {
        giveUp(e);
      }
    }
  }

  /** Begins at the newest checkpoint, if there is one, and makes turns. */
  private void read() {
    if (link.start().offset() >= 0) {
      steps.perform(participant.startFrom(link.start(), clock.nanos()));
    }
    while (!stopping) {
      try {
        turn();
        fault = null;
      } catch (LedgerUnusable | BrokenFold e) {
        // Only another ledger, or an entry that broke the fold, may end the turns.
        throw e;
      } catch (RuntimeException | Error e) {
        if (fault == null) {
          log.error("a turn of the ledger's thread failed, trying again", e);
        }
        fault = "the ledger's thread failed and tries again: " + e;
        LockSupport.parkNanos(LONGEST_WAIT.toNanos());
      }
    }
  }

  private void turn() {
    long longest = (board.idle() ? IDLE_WAIT : LONGEST_WAIT).toNanos();
    long wait = Math.clamp(participant.nextTick() - clock.nanos(), 0, longest);
    unread.addAll(link.poll(Duration.ofNanos(wait)));
    long received = clock.nanos();
    requests.take();
    if (!unread.isEmpty()) {
      lastReadNanos = received;
    }
    for (var next = unread.poll(); next != null; next = unread.poll()) {
      entry(next, received);
    }
    board.turn();
    takeInputs();
    boolean read = view.read();
    if (!read && requests.caughtUp() && link.caughtUp()) {
      read = true;
      steps.perform(participant.caughtUp(clock.nanos()));
    }
    steps.perform(participant.tick(clock.nanos()));
    LedgerState ledger = participant.ledger();
    requests.check(ledger, received);
    runner.gate().capped(read && board.heldByCap(ledger), ledger.cap());
    publish(read);
  }

  private void entry(LedgerRecord read, long received) {
    List<Step> decided;
    try {
      decided = participant.read(read.maybeEntry(), read.offset(), read.appendTime(), received);
    } catch (RuntimeException | Error e) {
      throw new BrokenFold(read.offset(), e);
    }
    folded.incrementAndGet();
    if (read.entry() instanceof LedgerEntry.Claim claim) {
      steps.answered(claim, participant.ledger().lease(claim.session()), decided);
    } else {
      steps.perform(decided);
    }
  }

  /**
   * Passes the inputs to the participant. One that fails is passed once more in the next turn,
   * because a lost release would hold its permit. One that fails twice is dropped, so that it
   * cannot keep the rest back.
   */
  private void takeInputs() {
    for (var input = inbox.peek(); input != null; input = inbox.peek()) {
      boolean again = inputFailed;
      inputFailed = !again;
      if (again) {
        inbox.remove();
      }
      List<Step> decided = input.apply(participant);
      if (!again) {
        inbox.remove();
      }
      inputFailed = false;
      steps.perform(decided);
    }
  }

  private void publish(boolean read) {
    view = new View(read, participant.stopped().orElse(null), lastReadNanos, participant.ledger());
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
    unusable(reason);
    boolean last;
    do {
      // One more turn after the stop: it sends the releases that were handed over right before.
      last = stopping;
      try {
        takeInputs();
        steps.perform(participant.tick(clock.nanos()));
        publish(view.read());
      } catch (RuntimeException | Error e) {
        log.error("a session's end was not reported to the ledger", e);
      }
      if (!last) {
        LockSupport.parkNanos(LONGEST_WAIT.toNanos());
      }
    } while (!last);
  }

  /** Cuts the ledger on a new thread, one cut at a time, because this thread may not wait. */
  private void cut(Step.Cut step) {
    if (!cutting.compareAndSet(false, true)) {
      return;
    }
    Thread.ofVirtual()
        .name("flyball-ledger-cut")
        .start(() -> {
          try {
            OptionalLong begin = cut.cut(step.below(), step.now());
            begin.ifPresent(offset -> log.info("ledger cut: firstOffset={}", offset));
          } catch (RuntimeException e) {
            log.warn("ledger not cut, tried again in an hour: reason={}", e.getMessage());
          } finally {
            cutting.set(false);
          }
        });
  }
}
