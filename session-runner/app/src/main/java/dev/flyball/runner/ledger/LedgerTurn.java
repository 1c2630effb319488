package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerCut;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One turn of the ledger's thread: read both topics, fold, and carry out what the participant
 * decides. Everything but the methods marked "any thread" belongs to the ledger's thread.
 */
final class LedgerTurn implements AutoCloseable {
  /** The gate's readings change by themselves, so the participant is called at least this often. */
  static final Duration LONGEST_WAIT = Duration.ofMillis(250);

  /**
   * The same while no request waits and no session runs: the gate's readings then decide nothing. A
   * record ends the wait, and renewals have their own times.
   */
  private static final Duration IDLE_WAIT = Duration.ofSeconds(1);

  private final RunnerCallbacks runner;
  private final ElapsedClock clock;
  private final RequestBodies bodies;
  private final RequestFeed feed;
  private final RequestBoard board;
  private final RequestIntake requests;
  private final Participant participant;
  private final LedgerLink link;
  private final StepExecutor steps;
  private final Inbox inbox = new Inbox();

  // Written by the ledger's thread, read by any.
  private volatile LedgerView view = LedgerView.NOT_READ;
  private final AtomicLong folded = new AtomicLong();

  /** Polled and not folded yet. */
  private final Deque<LedgerRecord> unread = new ArrayDeque<>();

  private long lastReadNanos;

  LedgerTurn(
      KafkaClients clients,
      LeaseTimes times,
      LedgerEntry.Init seed,
      RunnerCallbacks runner,
      ElapsedClock clock) {
    this.runner = runner;
    this.clock = clock;
    this.bodies = new RequestBodies(clients);
    this.feed = new RequestFeed(clients, this::wakeup);
    this.board = new RequestBoard(runner.self(), runner.gate(), runner.declines());
    this.requests = new RequestIntake(feed::next, board, runner::deadLetter);
    this.participant =
        new Participant(
            times, seed, board, () -> UUID.randomUUID().toString(), RandomGenerator.getDefault());
    this.link = new LedgerLink(clients, times);
    this.steps =
        new StepExecutor(
            board, bodies, runner::begin, this::dead, new LedgerCutter(new LedgerCut(clients)));
  }

  /** Opens the ledger, however long no broker answers; false if {@code stopping} was set first. */
  boolean open(BooleanSupplier stopping) {
    feed.start();
    Optional<LedgerWriter> writer = link.open(stopping);
    writer.ifPresent(to -> steps.connected(to, link.topicId()));
    return writer.isPresent();
  }

  /** Begins at the newest checkpoint, if there is one. */
  void begin() {
    if (link.start().offset() >= 0) {
      steps.perform(participant.startFrom(link.start(), clock.nanos()));
    }
  }

  void run() {
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
    inbox.empty(participant, steps::perform);
    boolean read = view.read();
    if (!read && requests.caughtUp() && link.caughtUp()) {
      read = true;
      steps.perform(participant.caughtUp(clock.nanos()));
    }
    steps.perform(participant.tick(clock.nanos()));
    LedgerState ledger = participant.ledger();
    requests.check(ledger, board.readTo(), received);
    boolean held = read && board.heldByCap(ledger);
    runner.gate().capped(held, ledger.cap());
    publish(read);
  }

  /** A turn that reads nothing: renewals and releases go on after the ledger became unreadable. */
  void runWithoutReading() {
    inbox.empty(participant, steps::perform);
    steps.perform(participant.tick(clock.nanos()));
    publish(view.read());
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

  private void publish(boolean read) {
    view = LedgerView.of(read, participant, lastReadNanos);
  }

  /** Passes an input to the participant; any thread. */
  void pass(Function<Participant, List<Step>> input) {
    inbox.add(input);
    wakeup();
  }

  /** Passes on a session's end; any thread. */
  void dead(LedgerEntry.Release release) {
    pass(to -> to.dead(release, clock.nanos()));
  }

  /** Stops all claims. The runner's entries give this reason. */
  List<Step> drain(Participant to) {
    to.drain();
    board.refuse("draining");
    return List.of();
  }

  /** Ends a turn that waits for records; any thread. */
  void wakeup() {
    link.wakeup();
  }

  /** The ledger's state when it was last read; any thread. */
  LedgerView view() {
    return view;
  }

  /** How many entries were folded; any thread. */
  long folded() {
    return folded.get();
  }

  /** Every session of this runner whose end the ledger does not show yet; any thread. */
  Map<String, SessionHandle> sessions() {
    return board.sessions();
  }

  /** Whether every claim that this runner sent was read; any thread. */
  boolean nothingOnItsWay() {
    return steps.nothingOnItsWay();
  }

  /** Entries that the broker rejects; any thread. */
  RejectedAppends rejected() {
    return steps.refused();
  }

  /** What cannot be read or written now, a line each; any thread. */
  List<String> troubles() {
    var troubles = new ArrayList<String>();
    link.trouble().ifPresent(troubles::add);
    feed.trouble().ifPresent(troubles::add);
    return troubles;
  }

  /** Partitions of session-requests whose broker lost records, a line each; any thread. */
  List<String> lostRequests() {
    return requests.lost();
  }

  @Override
  public void close() {
    try (feed;
        bodies;
        link) {
      steps.disconnected();
    }
  }

  /** Half an entry was folded: from here on this runner's state may differ from the others'. */
  static final class BrokenFold extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenFold(long offset, Throwable cause) {
      super("the entry at ledger offset " + offset + " could not be folded (" + cause + ")", cause);
    }
  }

  /**
   * Cuts the ledger on a new thread each time, one cut at a time, because the ledger's thread may
   * not wait.
   */
  private static final class LedgerCutter implements Consumer<Step.Cut> {
    private static final Logger log = LoggerFactory.getLogger(LedgerCutter.class);

    private final LedgerCut ledger;
    private final AtomicBoolean cutting = new AtomicBoolean();

    LedgerCutter(LedgerCut ledger) {
      this.ledger = ledger;
    }

    @Override
    public void accept(Step.Cut step) {
      if (cutting.compareAndSet(false, true)) {
        Thread.ofVirtual().name("flyball-ledger-cut").start(() -> cut(step));
      }
    }

    private void cut(Step.Cut step) {
      try {
        OptionalLong begin = ledger.cut(step.below(), step.now());
        begin.ifPresent(offset -> log.info("ledger cut: firstOffset={}", offset));
      } catch (RuntimeException e) {
        log.warn("ledger not cut, tried again in an hour: reason={}", e.getMessage());
      } finally {
        cutting.set(false);
      }
    }
  }

  /**
   * What other threads pass to the participant, in order of arrival. Any thread adds; only the
   * ledger's thread takes.
   */
  private static final class Inbox {
    private final ConcurrentLinkedQueue<Function<Participant, List<Step>>> news =
        new ConcurrentLinkedQueue<>();
    private boolean failedOnce;

    void add(Function<Participant, List<Step>> what) {
      news.add(what);
    }

    /**
     * Passes everything to the participant, and the resulting steps to {@code perform}. An input
     * that fails is passed once more by the next call, because a lost release would hold its
     * permit. An input that fails twice is dropped, so that it cannot keep the rest back.
     */
    void empty(Participant participant, Consumer<List<Step>> perform) {
      for (var what = news.peek(); what != null; what = news.peek()) {
        try {
          perform.accept(what.apply(participant));
        } catch (RuntimeException | Error e) {
          if (failedOnce) {
            news.remove();
          }
          failedOnce = !failedOnce;
          throw e;
        }
        news.remove();
        failedOnce = false;
      }
    }
  }
}
