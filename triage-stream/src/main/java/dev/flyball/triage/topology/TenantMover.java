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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out {@link PoolMoves} on a thread: reads all ledgers, appends the entries of the next
 * step, and repeats until no entry is left; then looks again now and then. In an installation with
 * one pool it ends after the first look, unless a tenant of a removed pool waits.
 */
public final class TenantMover implements Service {
  private static final Logger LOG = LoggerFactory.getLogger(TenantMover.class);
  private static final long WAITING_SECONDS = 10;
  private static final long INTERVAL_SECONDS = 60;

  /** Most steps without a pause; more would mean that other entries always come first. */
  private static final int MOST_STEPS = 20;

  private final KafkaClients clients;
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Used by the thread alone. */
  private final Map<String, LedgerWriter> writers = new HashMap<>();

  /** Written by the thread, read by health(). */
  private volatile List<String> waits = List.of();

  private @Nullable Thread thread;

  /** Nothing is opened yet. */
  public TenantMover(KafkaClients clients) {
    this.clients = clients;
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
      boolean looked;
      do {
        looked = look();
      } while (!(looked && onePool && waits.isEmpty())
          && !stopping.await(
              looked && waits.isEmpty() ? INTERVAL_SECONDS : WAITING_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      writers.values().forEach(LedgerWriter::close);
    }
  }

  /** Takes steps until no entry is left; false if the broker did not let it. */
  private boolean look() {
    try {
      int steps = 0;
      PoolMoves.Step step;
      do {
        step = step();
        appended(step.appends());
        steps++;
      } while (!step.appends().isEmpty() && steps < MOST_STEPS && stopping.getCount() > 0);
      report(step.waits());
      return true;
    } catch (RuntimeException e) {
      LOG.warn("tenants are not moved between pools: reason={}", e.getMessage());
      return false;
    }
  }

  private PoolMoves.Step step() {
    var states = new HashMap<String, LedgerState>();
    Instant at = Instant.MIN;
    for (Map.Entry<String, LedgerAtEnd> each :
        LedgerAtEnd.ofAllPools(clients, () -> stopping.getCount() > 0).entrySet()) {
      states.put(each.getKey(), each.getValue().state());
      at = each.getValue().at().isAfter(at) ? each.getValue().at() : at;
    }
    // A ledger that was read only in part may lack sessions.
    return stopping.getCount() > 0
        ? PoolMoves.next(clients.topics().pools(), states, at)
        : new PoolMoves.Step(List.of(), waits);
  }

  private void appended(List<PoolMoves.Append> appends) {
    for (PoolMoves.Append each : appends) {
      LOG.info(
          "entry for a tenant's move between pools: target={} entry={}",
          clients.in(each.pool()).topics().sessionLedger(),
          each.entry());
      LedgerWriter writer =
          writers.computeIfAbsent(
              each.pool(),
              pool -> LedgerWriter.open(clients.in(pool), LedgerWriter.DEFAULT_DELIVERY_TIMEOUT));
      // Whether it is appended, and takes effect, the next look shows.
      writer.append(
          LedgerWriter.NO_ITEM,
          each.entry(),
          (metadata, failure) -> {
            if (failure != null) {
              LOG.warn("tenants are not moved between pools: reason={}", failure.getMessage());
            }
          });
    }
    appends.forEach(each -> {
      LedgerWriter writer = writers.get(each.pool());
      if (writer != null) {
        writer.flush();
      }
    });
  }

  private void report(List<String> lines) {
    lines.stream()
        .filter(line -> !waits.contains(line))
        .forEach(line -> LOG.warn("a tenant's move between pools waits: reason={}", line));
    waits = lines;
  }
}
