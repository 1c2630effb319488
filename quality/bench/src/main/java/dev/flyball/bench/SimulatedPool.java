package dev.flyball.bench;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.kafka.LedgerWriter;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.testkit.BrokerProcess;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * All runners of an installation on one thread, over a real broker in a separate process. One
 * consumer reads the ledger for all of them, and a few producers append. Sessions begin and end at
 * the same rate.
 */
final class SimulatedPool implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final Duration POLL = Duration.ofMillis(2);
  private static final int WRITERS = 4;
  private static final int FILL_AT_A_TIME = 500;

  private final ScalePlan plan;
  private final BrokerProcess broker;
  private final LedgerReader reader;
  private final List<LedgerWriter> writers = new ArrayList<>();
  private final OfferedRequests offered;
  private final AppendLog appends;
  private final List<SimulatedRunner> folds = new ArrayList<>();
  private final SharedFold shared;
  private final RealLedgerThreads real = new RealLedgerThreads();
  private final KafkaClients clients;
  private final SplittableRandom random = new SplittableRandom(7);
  private final long origin = System.nanoTime();

  private boolean filling = true;
  private long nextRequest = Long.MAX_VALUE;
  private long foldNanos;
  private long turnNanos;
  private long entries;
  private long longestTurn;
  private long turnBegan;

  SimulatedPool(ScalePlan plan, Path folder) {
    this.plan = plan;
    broker = BrokerProcess.start(folder);
    clients = new KafkaClients(KafkaSettings.of(broker.bootstrapServers()), "bench");
    new TopicProvisioner(clients).provision();
    reader = LedgerReader.open(clients);
    appends = new AppendLog(folder.resolve("data"), clients.topics().sessionLedger());
    for (int i = 0; i < WRITERS; i++) {
      writers.add(LedgerWriter.open(clients, plan.times().late()));
    }
    offered = new OfferedRequests(clients);
    shared = new SharedFold(plan, offered, writer(0), this::length);
    for (int i = 0; i < plan.folds(); i++) {
      folds.add(new SimulatedRunner(ScalePlan.runner(i), plan, offered, writer(i), this::length));
    }
  }

  private Consumer<LedgerEntry> writer(int runner) {
    LedgerWriter writer = writers.get(runner % WRITERS);
    return entry -> appends.append(writer, entry);
  }

  /** The sessions of a pool that has run for long have any part of their time left. */
  private long length() {
    long whole = plan.length().toNanos();
    return filling ? random.nextLong(whole) : whole;
  }

  private long now() {
    return System.nanoTime() - origin;
  }

  /** Starts all sessions. Those of the runners that fold for themselves begin as in the product. */
  void fill() {
    folds.forEach(each -> each.begin(now()));
    turnsUntil(() -> shared.ledger().initialized(), true);
    publish(plan.folds() * ScalePlan.OF_A_RUNNER);
    turnsUntil(() -> shared.claims() >= plan.folds() * ScalePlan.OF_A_RUNNER, true);
    for (int i = plan.folds(); i < plan.runners(); i++) {
      shared.add(ScalePlan.runner(i), now());
    }
    for (int begun = shared.claims(); begun < plan.sessions(); begun = shared.claims()) {
      publish(Math.min(FILL_AT_A_TIME, plan.sessions() - begun));
      turnsUntil(offered::allArrived, false);
      shared.fill(now(), begun);
      turnsUntil(() -> offered.waiting() == 0, false);
    }
    filling = false;
    nextRequest = now();
  }

  private void publish(int count) {
    for (int i = 0; i < count; i++) {
      offered.publish();
    }
  }

  private void turnsUntil(BooleanSupplier reached, boolean claiming) {
    long end = now() + LIMIT.toNanos();
    while (!reached.getAsBoolean()) {
      if (now() > end) {
        throw new AssertionError(
            "not reached within "
                + LIMIT
                + ": live "
                + shared.ledger().live()
                + ", waiting "
                + offered.waiting());
      }
      turn(claiming);
    }
  }

  /** Lets the pool run, with nothing measured. */
  void settle(Duration time) {
    long end = now() + time.toNanos();
    turnsUntil(() -> now() >= end, true);
  }

  /** Starts the real ledger threads beside the pool, which goes on meanwhile. */
  void join() {
    var starting = Thread.ofPlatform().name("bench-join").start(() -> real.start(clients, plan));
    turnsUntil(() -> !starting.isAlive(), true);
  }

  /** Lets the pool run, and measures. */
  ScaleFigures measure() {
    shared.measureAgain();
    appends.measureAgain();
    foldNanos = 0;
    turnNanos = 0;
    entries = 0;
    longestTurn = 0;
    double brokerBefore = Proc.cpuSeconds(broker.pid());
    double realBefore = real.cpuSeconds();
    long bytesBefore = appends.bytes();
    long from = now();
    settle(Duration.ofSeconds(plan.seconds()));
    double seconds = (now() - from) / 1e9;
    check();
    return new ScaleFigures(
        seconds,
        longestTurn / 1e6,
        shared.ledger().live(),
        entries,
        appends.bytes() - bytesBefore,
        appends.checkpointShare(),
        appends.checkpointsBegun(),
        appends.millis(),
        Figures.of("ms", shared.claimMillis()),
        (double) shared.lostClaims() / Math.max(1, shared.claims()),
        foldNanos / 1e3 / folds.size(),
        turnNanos / 1e3 / folds.size(),
        (Proc.cpuSeconds(broker.pid()) - brokerBefore) / seconds,
        (real.cpuSeconds() - realBefore) / seconds / Math.max(1, plan.joining()));
  }

  private void check() {
    real.check();
    int fenced = folds.stream().mapToInt(SimulatedRunner::fenced).sum();
    if (fenced + shared.expired() > 0) {
      throw new AssertionError(
          fenced + " sessions were fenced and " + shared.expired() + " expired: overloaded");
    }
  }

  private void turn(boolean claiming) {
    List<LedgerRecord> records = reader.poll(POLL);
    long received = now();
    longestTurn = Math.max(longestTurn, received - turnBegan);
    turnBegan = received;
    boolean changed = offered.take() || !records.isEmpty();
    for (LedgerRecord each : records) {
      shared.read(each, received);
    }
    fold(records, received);
    while (now() >= nextRequest) {
      offered.publish();
      nextRequest += (long) (-Math.log(1 - random.nextDouble()) / plan.rate() * 1e9);
    }
    long before = cpu();
    for (SimulatedRunner each : folds) {
      long now = now();
      if (changed || now >= each.due()) {
        each.tick(now);
      }
    }
    turnNanos += cpu() - before;
    shared.tick(now(), claiming);
  }

  private void fold(List<LedgerRecord> records, long received) {
    if (records.isEmpty()) {
      return;
    }
    long before = cpu();
    for (SimulatedRunner each : folds) {
      for (LedgerRecord record : records) {
        each.read(record, received);
      }
    }
    foldNanos += cpu() - before;
    entries += records.size();
  }

  private static long cpu() {
    return THREADS.getCurrentThreadCpuTime();
  }

  @Override
  public void close() {
    real.close();
    offered.close();
    writers.forEach(LedgerWriter::close);
    reader.close();
    broker.close();
  }
}
