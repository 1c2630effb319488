package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A session over an agent that is a script in memory, with everything that it says kept. */
class OneSession implements Containment, EventSink, Sessions.Ledger, Sessions.Journal {
  static final String ID = "6a1f0c3e-0000-4000-8000-000000000001";

  /** The broker's time, which is not this machine's. */
  static final Instant LEDGER_NOW = Instant.parse("2026-03-01T12:00:00Z");

  final FakeAgent agent;
  final List<LifecycleEvent> events = Collections.synchronizedList(new ArrayList<>());
  final List<String> refusals = Collections.synchronizedList(new ArrayList<>());
  final CompletableFuture<LedgerEntry.Release> released = new CompletableFuture<>();
  final Session handle;
  final LiveTrees trees;
  volatile @Nullable Duration startedUntil;
  volatile @Nullable IOException refusal;

  /** Completed unless a test wants the repository, or the fork, to hang. */
  volatile CompletableFuture<Void> repository = CompletableFuture.completedFuture(null);

  /** Completed unless a test wants the writing of its tree to hang, which may take ten minutes. */
  volatile CompletableFuture<Void> tree = CompletableFuture.completedFuture(null);

  final CompletableFuture<Void> writes = new CompletableFuture<>();

  volatile CompletableFuture<Void> fork = CompletableFuture.completedFuture(null);

  /** Completed unless a test wants the disk to hang once the agent runs. */
  volatile CompletableFuture<Void> disk = CompletableFuture.completedFuture(null);

  /** What the runner itself lacks, after the fork or before anything was started. */
  volatile @Nullable Error lackingAtFork;

  volatile @Nullable Error lackingBefore;

  /** How much later it is for the session than for the test, and how often the session looked. */
  volatile Duration later = Duration.ZERO;

  final AtomicInteger clockReads = new AtomicInteger();

  /** Processes that a failed start has left. */
  final AtomicInteger remains = new AtomicInteger();

  /** Thrown while what a failed start has left is ended, if it is set. */
  volatile @Nullable RuntimeException unverified;

  /** What is done to start the session, in order. */
  final List<String> start = Collections.synchronizedList(new ArrayList<>());

  /** Thrown where the row is opened, if it is set. */
  volatile @Nullable IOException rowRefused;

  /** What is done to end the session, in order. */
  final List<String> end = Collections.synchronizedList(new ArrayList<>());

  /** Thrown where the row is closed, if it is set. */
  volatile @Nullable RuntimeException rowBroken;

  volatile Duration lease = Duration.ofSeconds(5);
  final AtomicInteger left = new AtomicInteger();

  private final Agent adapter;

  /** An agent's kind, and what is reserved for its session. */
  record Kind(Agent adapter, long reserveMicros) {
    static final Kind FREE = new Kind(new Command("/bin/agent").session(Setup.DEFAULT), 0);
  }

  /** One that may live for a minute. */
  OneSession(FakeAgent agent) {
    this(agent, Kind.FREE);
  }

  /** One of an agent of some kind that may live for a minute. */
  OneSession(FakeAgent agent, Kind kind) {
    this(agent, inAMinute(), inAMinute(), kind);
  }

  OneSession(FakeAgent agent, long fenceAt, long deadmanAt) {
    this(agent, fenceAt, deadmanAt, Kind.FREE);
  }

  /** One of several of a runner, each of which may live for a minute. */
  OneSession(FakeAgent agent, String id, LiveTrees trees) {
    this(agent, inAMinute(), inAMinute(), id, trees, Kind.FREE);
  }

  /** With an agent of some kind. */
  OneSession(FakeAgent agent, long fenceAt, long deadmanAt, Kind kind) {
    this(agent, fenceAt, deadmanAt, ID, new LiveTrees(), kind);
  }

  private OneSession(
      FakeAgent agent, long fenceAt, long deadmanAt, String id, LiveTrees trees, Kind kind) {
    this.agent = agent;
    this.trees = trees;
    this.adapter = kind.adapter();
    var snapshot = Sample.snapshot("title", "text");
    String provider = kind.reserveMicros() > 0 ? "openai" : null;
    SessionRequest request = Sample.request("request", 1, Instant.EPOCH, provider, snapshot);
    this.handle =
        new Session(
            new Lease(
                id,
                request.request(),
                new Position(0, 1),
                ItemKey.parse("acme/web/1"),
                request.attempt(),
                "r1",
                request.route().provider(),
                LedgerState.RULES,
                kind.reserveMicros(),
                7,
                0,
                7,
                0,
                0),
            new Token("topic", 7),
            Waiting.of("acme/web/1", new Position(0, 1), request, 0),
            () -> Optional.of(request),
            new Fence(0, fenceAt, deadmanAt));
  }

  static long inAMinute() {
    return System.nanoTime() + Duration.ofMinutes(1).toNanos();
  }

  /** Starts it and waits for its release. */
  LedgerEntry.Release run() throws Exception {
    steps().start(handle);
    return released.get(20, TimeUnit.SECONDS);
  }

  Sessions steps() {
    return steps(SessionLimits.DEFAULT);
  }

  /** With other clocks and bounds. */
  Sessions steps(SessionLimits limits) {
    var workplaces =
        new Workplaces() {
          @Override
          public Workplace enter(
              ItemKey item, @Nullable String polledBy, Consumer<Duration> writing) {
            repository.join();
            writing.accept(Duration.ofMinutes(10));
            writes.complete(null);
            tree.join();
            lacks(lackingBefore);
            return new Workplace(Path.of("/"), null, null, () -> "", null, OneSession.this::leave);
          }
        };
    return sessions(
        adapter, this, Map.of(), workplaces, trees, Duration.ofMillis(100), this, limits);
  }

  /**
   * With a program that is really started, in this folder.
   *
   * @param variables of its environment besides HOME and PATH
   */
  Sessions contained(
      Agent program,
      Containment containment,
      Path folder,
      Map<String, String> variables,
      EventSink sink,
      SessionLimits limits) {
    var environment = new HashMap<>(variables);
    environment.putAll(Map.of("PATH", "/usr/bin:/bin", "HOME", folder.toString()));
    return sessions(
        program,
        containment,
        environment,
        (item, polledBy, writing) ->
            new Workplaces.Workplace(folder, null, null, () -> "", null, () -> {}),
        new LiveTrees(),
        Duration.ofMillis(100),
        sink,
        limits);
  }

  private Sessions sessions(
      Agent program,
      Containment containment,
      Map<String, String> environment,
      Workplaces workplaces,
      LiveTrees trees,
      Duration sampleEvery,
      EventSink sink,
      SessionLimits limits) {
    return new Sessions(
        program,
        containment,
        environment,
        workplaces,
        trees,
        sampleEvery,
        limits,
        sink,
        new Redactor(List.of("s3cret-value")),
        InstantSource.system(),
        this,
        this,
        (session, end, course) -> end);
  }

  private void leave() {
    left.incrementAndGet();
    end.add("left");
  }

  private static void lacks(@Nullable Error what) {
    if (what != null) {
      throw what;
    }
  }

  void attach() throws IOException {
    assertThat(handle.readRequest()).isTrue();
    handle.attach(steps().live(agent, handle));
  }

  @Override
  public Level level() {
    return Level.A;
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration end) throws IOException {
    start.add("forked");
    IOException refused = refusal;
    if (refused != null) {
      throw refused;
    }
    startedUntil = end;
    fork.join();
    lacks(lackingAtFork);
    return agent;
  }

  @Override
  public int cleared(String session, Duration limit) {
    RuntimeException failure = unverified;
    if (failure != null) {
      throw failure;
    }
    return remains.get();
  }

  Duration until() {
    return Objects.requireNonNull(startedUntil);
  }

  @Override
  public CompletableFuture<Void> publish(LifecycleEvent event) {
    events.add(event);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void offer(LifecycleEvent event) {
    events.add(event);
  }

  @Override
  public boolean offer(String session, OutputChunk chunk) {
    return true;
  }

  @Override
  public void dead(LedgerEntry.Release release) {
    end.add("released " + release.outcome().label());
    released.complete(release);
    handle.closed();
  }

  @Override
  public void providerLimited(String provider, @Nullable UnaryOperator<Instant> until, String why) {
    Instant end = until == null ? null : until.apply(LEDGER_NOW);
    refusals.add(provider + " until " + end + ": " + why);
  }

  @Override
  public boolean confirmedLately(Session asked) {
    return true;
  }

  @Override
  public Duration patience() {
    return lease;
  }

  @Override
  public long nowNanos() {
    clockReads.incrementAndGet();
    return System.nanoTime() + later.toNanos();
  }

  @Override
  public void opened(Session session) throws IOException {
    IOException refused = rowRefused;
    if (refused != null) {
      throw refused;
    }
    start.add("row");
  }

  @Override
  public void started(String session, ContainedProcess.Identity identity) {
    disk.join();
  }

  @Override
  public void closed(String session) {
    end.add("closed");
    RuntimeException broken = rowBroken;
    if (broken != null) {
      throw broken;
    }
  }
}
