package dev.flyball.triage.topology;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerAtEnd;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.triage.item.PoolMoves;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@link PoolMoves} on a thread: reads all ledgers, appends the entries of the next
 * step, and repeats until no entry is left; then looks again now and then. In an installation with
 * one pool it ends after the first look, unless a tenant of a removed pool waits.
 *
 * <p>Only the process whose stream folds the ledgers does this. Two processes with different lists
 * of pools, as in a rolling restart, would otherwise open a tenant in two ledgers.
 */
public final class TenantMover implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(TenantMover.class);
  private static final long ELSEWHERE_SECONDS = 1;
  private static final long WAITING_SECONDS = 10;
  private static final long INTERVAL_SECONDS = 60;

  /** Most steps without a pause; more would mean that other entries always come first. */
  private static final int MOST_STEPS = 20;

  private final KafkaClients clients;
  private final BooleanSupplier folds;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Used by the thread alone. */
  private final Map<String, LedgerWriter> writers = new HashMap<>();

  /** Written by the thread, read by health(). */
  private volatile List<String> waits = List.of();

  private @Nullable Thread thread;

  /**
   * Nothing is opened yet.
   *
   * @param folds whether the stream of this process folds the ledgers now
   */
  public TenantMover(KafkaClients clients, BooleanSupplier folds) {
    this.clients = clients;
    this.folds = folds;
  }

  @Override
  public synchronized void start() {
    if (thread == null && stopping.getCount() > 0) {
      thread = Thread.ofPlatform().daemon().name("flyball-tenant-mover").start(this::run);
    }
  }

  @Override
  public synchronized void stop() {
    stopping.countDown();
    if (thread != null) {
      try {
        thread.join(LedgerWriter.DEFAULT_DELIVERY_TIMEOUT);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Degraded while a tenant waits. */
  @Override
  public Health health() {
    return waits.stream()
        .map(line -> Health.degraded("triage pools: " + line))
        .reduce(Health.healthy(), Health::and);
  }

  private void run() {
    boolean onePool = clients.topics().pools().names().size() == 1;
    try {
      long pause;
      do {
        pause = look();
      } while (!(onePool && pause == INTERVAL_SECONDS) && !stopping.await(pause, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      writers.values().forEach(LedgerWriter::close);
    }
  }

  /** Takes steps until no entry is left, and returns after how many seconds to look again. */
  private long look() {
    if (!mayDecide()) {
      waits = List.of();
      return ELSEWHERE_SECONDS;
    }
    try {
      int steps = 0;
      PoolMoves.Step step;
      do {
        step = step();
        appended(step.appends());
        steps++;
      } while (!step.appends().isEmpty() && steps < MOST_STEPS);
      if (!step.appends().isEmpty()) {
        throw new IllegalStateException("their entries have no effect: others came first");
      }
      report(step.waits());
      return waits.isEmpty() && mayDecide() ? INTERVAL_SECONDS : WAITING_SECONDS;
    } catch (RuntimeException e) {
      report(List.of("tenants are not moved between pools: " + e.getMessage()));
      return WAITING_SECONDS;
    }
  }

  private boolean mayDecide() {
    return stopping.getCount() > 0 && folds.getAsBoolean();
  }

  private PoolMoves.Step step() {
    var states = new HashMap<String, LedgerState>();
    Instant at = Instant.MIN;
    for (Map.Entry<String, LedgerAtEnd> each :
        LedgerAtEnd.ofAllPools(clients, this::mayDecide).entrySet()) {
      states.put(each.getKey(), each.getValue().state());
      at = each.getValue().at().isAfter(at) ? each.getValue().at() : at;
    }
    // A ledger that was read only in part may lack sessions.
    return mayDecide()
        ? PoolMoves.next(clients.topics().pools(), states, at)
        : new PoolMoves.Step(List.of(), waits);
  }

  /** Appends; whether an entry takes effect the next step shows. */
  private void appended(List<PoolMoves.Append> appends) {
    var failed = new AtomicReference<@Nullable Exception>();
    for (PoolMoves.Append each : appends) {
      LOG.info(
          "a tenant is moved between pools: target={} entry={}",
          clients.in(each.pool()).topics().sessionLedger(),
          each.entry());
      LedgerWriter writer =
          writers.computeIfAbsent(
              each.pool(),
              pool -> LedgerWriter.open(clients.in(pool), LedgerWriter.DEFAULT_DELIVERY_TIMEOUT));
      writer.append(
          LedgerWriter.NO_ITEM,
          each.entry(),
          (metadata, failure) -> failed.compareAndSet(null, failure));
    }
    writers.values().forEach(LedgerWriter::flush);
    Exception failure = failed.get();
    if (failure != null) {
      throw new IllegalStateException(failure.getMessage(), failure);
    }
  }

  private void report(List<String> lines) {
    lines.stream()
        .filter(line -> !waits.contains(line))
        .forEach(line -> LOG.warn("a move of a tenant between pools waits: reason={}", line));
    waits = lines;
  }
}
