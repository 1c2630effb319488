package dev.flyball.runner.ledger;

import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.BrokerUnreachable;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerUnusable;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.ops.telemetry.ElapsedClock;
import dev.flyball.runner.execution.LeaseHold;
import dev.flyball.runner.execution.SessionHandle;
import dev.flyball.runner.lease.Fence;
import dev.flyball.runner.lease.Participant;
import dev.flyball.runner.lease.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ledger's thread: reads both topics, drives the participant and does its steps. The
 * participant and the board belong to it alone; other threads hand it what they have to say and go
 * on.
 */
public final class LedgerLoop implements LeaseHold {
  private static final Logger log = LoggerFactory.getLogger(LedgerLoop.class);

  /** The gate's readings change by themselves, so the participant is asked at least this often. */
  private static final Duration LONGEST_WAIT = Duration.ofMillis(250);

  private static final int BATCHES = 4;

  private final LedgerParts parts;
  private final ElapsedClock clock;
  private final Board board;
  private final Participant participant;
  private final RequestFeed requests;
  private final RequestBodies bodies;
  private final ConcurrentLinkedQueue<Function<Participant, List<Step>>> told =
      new ConcurrentLinkedQueue<>();
  private final Thread thread;

  private final LedgerActs acts;

  // Written by this thread, read by the watchdog and whoever shuts down.
  private volatile LedgerView view = LedgerView.NOT_READ;
  private volatile boolean stopping;
  private volatile @Nullable LedgerReader reader;

  private boolean requestsRead;
  private long heardNanos;

  /** Makes the loop; {@link #start} runs it. */
  public LedgerLoop(LedgerParts parts, ElapsedClock clock) {
    this.parts = parts;
    this.clock = clock;
    this.bodies = parts.bodies(this::nudge);
    this.requests = new RequestFeed(parts.clients(), this::nudge);
    this.board = new Board(parts.self(), parts.gate(), bodies);
    this.participant =
        new Participant(parts.times(), parts.seed(), board, parts.sessionIds(), parts.random());
    this.acts = new LedgerActs(board, handle -> parts.starter().accept(handle, this), this::dead);
    this.thread = Thread.ofPlatform().daemon().name("flyball-ledger").unstarted(this::run);
  }

  /** Begins to read. */
  public void start() {
    thread.start();
  }

  /** What the ledger said when it was last read; any thread. */
  public LedgerView view() {
    return view;
  }

  /**
   * How old this runner's knowledge of the ledger, and the ledger's of its sessions, is; any
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
    var troubles =
        new ArrayList<>(view.read() ? ages().troubles(parts.times()) : List.<String>of());
    acts.refused().lately(parts.times().beat().multipliedBy(3)).ifPresent(troubles::add);
    return troubles;
  }

  /** Entries that the broker refused since the start; any thread. */
  public long refusedAppends() {
    return acts.refused().count();
  }

  /** Every session of this runner that the ledger does not know ended; any thread. */
  public Map<String, SessionHandle> sessions() {
    return acts.sessions();
  }

  /**
   * Claims nothing any more. Returns once that is so and no claim of ours is on its way, or after
   * {@code limit}: a claim that takes effect when nobody reads any more would hold its item for a
   * whole lease.
   */
  public void drain(Duration limit) {
    var told = new CompletableFuture<Void>();
    tell(now -> {
      now.drain();
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

  /** The ledger is not the one that was read before. */
  public void unusable(String reason) {
    tell(now -> now.ledgerUnusable(reason));
  }

  @Override
  public void dead(LedgerEntry.Release release) {
    tell(now -> now.dead(release, clock.nanos()));
  }

  @Override
  public void providerLimited(String provider, Instant until, String why) {
    tell(now -> now.providerLimited(provider, until, why));
  }

  @Override
  public boolean confirmedLately(SessionHandle handle) {
    Fence fence = participant.fences().get(handle.assignment().session());
    return fence != null
        && clock.nanos() - fence.confirmedAt() < parts.times().lease().toNanos() / 2;
  }

  @Override
  public Duration patience() {
    return parts.times().lease();
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
    LedgerReader open = reader;
    if (open != null) {
      open.wakeup();
    }
  }

  private void tell(Function<Participant, List<Step>> what) {
    told.add(what);
    nudge();
  }

  private void run() {
    bodies.start();
    requests.start();
    try (requests;
        bodies) {
      while (!stopping && !follow()) {
        log.debug("ledger not opened yet");
      }
    }
  }

  /** Opens the ledger and follows it until this loop is stopped; false if no broker answered. */
  private boolean follow() {
    try (LedgerReader from = LedgerReader.open(parts.clients(), identityInterval());
        LedgerWriter to = LedgerWriter.open(parts.clients(), parts.times().late())) {
      reader = from;
      acts.connected(to, from.topicId());
      read(from);
      return true;
    } catch (BrokerUnreachable e) {
      log.warn("{}", e.getMessage());
      return false;
    } catch (RuntimeException e) {
      giveUp(e);
      return true;
    } finally {
      reader = null;
      acts.disconnected();
    }
  }

  /** Scaled with the other clocks, and never rarer than by default. */
  private Duration identityInterval() {
    Duration renew = parts.times().renew();
    Duration longest = LedgerReader.DEFAULT_IDENTITY_INTERVAL;
    return renew.compareTo(longest) < 0 ? renew : longest;
  }

  /**
   * Whatever ends the reading, the clients stay open until this loop is stopped: our sessions are
   * killed, and their renewals and releases go on meanwhile. Errors too, for with this thread every
   * renewal ends.
   */
  private void read(LedgerReader from) {
    try {
      if (from.start().offset() >= 0) {
        acts.perform(participant.startFrom(from.start(), clock.nanos()));
      }
      while (!stopping) {
        turn(from);
      }
    } catch (Throwable e) {
      giveUp(e);
    }
  }

  /**
   * The ledger cannot be read any more: sessions are killed and still report their ends, and
   * nothing is claimed.
   */
  private void giveUp(Throwable why) {
    String reason =
        why instanceof LedgerUnusable unusable
            ? String.valueOf(unusable.getMessage())
            : "ledger thread failed: " + why;
    if (!(why instanceof LedgerUnusable)) {
      log.error("every session is ended and this runner claims nothing", why);
    }
    acts.perform(participant.ledgerUnusable(reason));
    publish(view.read(), participant.ledger().offset() + 1);
    while (!stopping) {
      try {
        hear();
        acts.perform(participant.tick(clock.nanos()));
      } catch (RuntimeException e) {
        log.error("a session's end was not told to the ledger", e);
      }
      LockSupport.parkNanos(LONGEST_WAIT.toNanos());
    }
  }

  private void turn(LedgerReader from) {
    long wait = Math.clamp(participant.nextTick() - clock.nanos(), 0, LONGEST_WAIT.toNanos());
    List<LedgerRecord> entries = poll(from, Duration.ofNanos(wait));
    long received = clock.nanos();
    requests();
    entries.forEach(each -> entry(each, received));
    if (!entries.isEmpty()) {
      heardNanos = received;
    }
    hear();
    boolean read = view.read();
    if (!read && requestsRead && from.caughtUp()) {
      read = true;
      acts.perform(participant.caughtUp(clock.nanos()));
    }
    acts.perform(participant.tick(clock.nanos()));
    board.unreadable().forEach(each -> parts.deadLetters().accept(each.consumed(), each.reason()));
    publish(read, from.position());
  }

  private static List<LedgerRecord> poll(LedgerReader from, Duration wait) {
    try {
      return from.poll(wait);
    } catch (WakeupException e) {
      return List.of();
    } catch (RetriableException e) {
      log.warn("ledger not read: {}", e.toString());
      return List.of();
    }
  }

  private void hear() {
    for (var what = told.poll(); what != null; what = told.poll()) {
      acts.perform(what.apply(participant));
    }
  }

  private void requests() {
    // Not all that there are: a flood of requests must not keep this thread from its renewals.
    for (int i = 0; i < BATCHES; i++) {
      RequestFeed.Batch batch = requests.next();
      if (batch == null) {
        return;
      }
      batch.records().forEach(this::request);
      board.readTo(batch.readTo());
      requestsRead |= batch.caughtUp();
    }
  }

  private void request(ConsumerRecord<String, byte[]> consumed) {
    try {
      board.read(consumed);
    } catch (UnreadableRecord e) {
      parts.deadLetters().accept(consumed, e.getMessage());
    }
  }

  private void entry(LedgerRecord read, long received) {
    List<Step> steps =
        participant.read(read.maybeEntry(), read.offset(), read.appendTime(), received);
    if (read.entry() instanceof LedgerEntry.Claim claim) {
      acts.answered(claim);
      participant.ledger().lease(claim.session()).ifPresent(board::claimed);
    }
    acts.perform(steps);
  }

  private void publish(boolean read, long position) {
    LedgerState ledger = participant.ledger();
    view =
        new LedgerView(
            read,
            ledger.live(),
            ledger.cap(),
            ledger.offset(),
            position - 1 - ledger.offset(),
            board.waiting(),
            participant.stopped().orElse(null),
            heardNanos);
  }
}
