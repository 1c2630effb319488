package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.gate.RunnerFaults;
import dev.flyball.runner.gate.RunnerFaults.Asked;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.runner.session.End;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.Input;
import dev.flyball.triage.item.InputPosition;
import dev.flyball.triage.item.Item;
import dev.flyball.triage.item.ItemMachine;
import dev.flyball.triage.item.MachineSettings;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import dev.flyball.triage.item.MachineSettings.RetryLimits;
import dev.flyball.triage.item.MachineSettings.ReuseLimits;
import dev.flyball.triage.item.Questions;
import dev.flyball.triage.item.Routing;
import dev.flyball.triage.item.TriageEffect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Triage's machine, the ledger's fold, and each runner's index and faults, without a broker,
 * threads or a clock: 60 items of three sources, and a runner with a fault of its own.
 */
@DisplayName("A fault of a runner or of its settings is charged to that runner")
final class BlameTest {
  private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
  private static final long SEED = Long.getLong("flyball.seed", 1);
  private static final long STEP_MS = 500;
  private static final int SLOTS = 2;
  private static final String DEEP = "deep";

  /** How a runner is broken. */
  enum Broken {
    LOGIN("agent-login", false),
    PROGRAM(Failure.AGENT_PROGRAM, true),
    MOUNT(Failure.REPOSITORY, true),
    REPOSITORY_TOKEN(Failure.REPOSITORY, true),
    DISK(Failure.DISK_FULL, true),
    MODEL("agent-model", false),
    SANDBOX("agent-sandbox", false),
    USER(Failure.AGENT_USER, true),
    PROFILE("profile", true),
    SOURCE(Decline.UNKNOWN_SOURCE, true),
    REJECTED(Failure.INVALID_REQUEST, false),
    NO_KNOWN_CODE("exit-code", false);

    private final String code;
    private final boolean beforeTheStart;

    Broken(String code, boolean beforeTheStart) {
      this.code = code;
      this.beforeTheStart = beforeTheStart;
    }

    /** How its sessions end, as each of them sees it. */
    private End end() {
      End cause = beforeTheStart ? End.startFailed(code, "broken") : End.EXITED;
      return cause.given(new AgentAnswer.Broken(failure(), "because", ""), null);
    }

    private Failure failure() {
      return switch (this) {
        case REJECTED -> new Failure(Kind.PERMANENT, code);
        case NO_KNOWN_CODE -> new Failure(Kind.TRANSIENT, code);
        default -> new Failure(Kind.RUNNER, code);
      };
    }

    private boolean neverClaims() {
      return this == PROFILE || this == SOURCE;
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("beside a runner that works, no item dies and none waits longer for the broken one")
  void theOtherRunnerTakesThemAll(Broken how) {
    var alone = new Story(SEED);
    alone.runner("good", null);
    alone.items(60);
    alone.until(Duration.ofHours(2), Story::settled);

    var story = new Story(SEED);
    Runner good = story.runner("good", null);
    Runner broken = story.runner("broken", how);
    story.items(60);
    boolean named = story.until(Duration.ofHours(2), it -> it.named(broken));
    assertThat(named).as("why names it").isTrue();
    story.until(Duration.ofHours(2), Story::settled);

    assertThat(story.phases(ItemPhase.Analyzed.class)).isEqualTo(60);
    assertThat(good.completed).isEqualTo(60);
    assertThat(story.ms).as("no black hole").isLessThan(alone.ms * 3 / 2);
    assertThat(broken.claims).as("one for each pause, and what ran beside it").isLessThan(20);
    if (!how.neverClaims()) {
      assertThat(broken.faults.all()).as("health names it").isNotEmpty();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName("too few items to recognise a fault do not die of it while another runner is free")
  void fewItemsAreLeftToTheOtherRunner(long seed) {
    var story = new Story(seed);
    story.runner("good", null);
    story.runner("broken", Broken.NO_KNOWN_CODE);
    story.items(2);

    story.until(Duration.ofHours(2), Story::settled);

    assertThat(story.phases(ItemPhase.Analyzed.class)).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("alone, it kills nothing; items wait with the reason until it is repaired")
  void withOnlyTheBrokenRunnerItemsWait(Broken how) {
    var story = new Story(SEED);
    Runner broken = story.runner("broken", how);
    story.items(60);

    story.until(Duration.ofHours(1), it -> false);

    assertThat(story.phases(ItemPhase.Dead.class)).isZero();
    assertThat(story.phases(ItemPhase.Analyzed.class)).isZero();
    assertThat(story.failures())
        .as("attempts used up")
        .isLessThanOrEqualTo(how.failure().kind() == Kind.RUNNER ? 0 : 3);
    assertThat(broken.claims).as("one for each pause").isLessThan(60);
    assertThat(story.until(Duration.ofMinutes(20), it -> it.named(broken))).isTrue();

    broken.how = null;
    boolean again = story.until(RunnerFaults.LONGEST.plusSeconds(30), it -> broken.completed > 0);
    assertThat(again).as("repaired, it takes work within its pause").isTrue();
    story.until(Duration.ofHours(2), Story::settled);
    assertThat(story.phases(ItemPhase.Analyzed.class)).isEqualTo(60);
    assertThat(broken.faults.all()).isEmpty();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName(
      "three items that no agent can answer die, and do not keep the others from their turn")
  void itemsAtFaultAreChargedThemselves(long seed) {
    var story = new Story(seed);
    story.runner("one", null);
    story.items(30);
    story.bad = key -> key.id().endsWith("7");

    boolean settled = story.until(Duration.ofHours(6), Story::settled);

    assertThat(settled).isTrue();
    assertThat(story.phases(ItemPhase.Dead.class)).isEqualTo(3);
    assertThat(story.phases(ItemPhase.Analyzed.class)).isEqualTo(27);
  }

  static Stream<Long> seeds() {
    return Stream.of(SEED, SEED + 1, SEED + 2);
  }

  /** A runner, as far as it decides what it claims. */
  private static final class Runner {
    private final String id;
    private final RunnerFaults faults = new RunnerFaults();
    private final RequestIndex index = new RequestIndex();
    private final List<Live> live = new ArrayList<>();
    private @Nullable Broken how;
    private int claims;
    private int completed;

    private Runner(String id, @Nullable Broken how) {
      this.id = id;
      this.how = how;
    }

    private List<Decline> declined() {
      Stream<Decline> unknown =
          how != Broken.SOURCE
              ? Stream.of()
              : index.groups().stream()
                  .map(each -> new Decline(null, each.source(), Decline.UNKNOWN_SOURCE, "add it"));
      return Stream.concat(faults.declined().stream(), unknown).toList();
    }

    private boolean has(String profile) {
      return how != Broken.PROFILE || !profile.equals(DEEP);
    }

    private boolean declines(Waiting request) {
      return how == Broken.SOURCE
          || !has(request.profile())
          || faults.declines(request.profile(), request.source());
    }
  }

  /** A session from its claim to its end. */
  private record Live(Asked asked, Input.SessionRef ref, long endsAtMs, @Nullable Broken fault) {}

  private static final class Story {
    private final ItemMachine machine =
        new ItemMachine(
            new MachineSettings(
                RetryLimits.defaults(),
                OnNewer.FINISH,
                new Routing(List.of(new Routing.Rule(DEEP, List.of())), Map.of()),
                Duration.ofHours(1),
                ItemBudget.NONE,
                ReuseLimits.DEFAULT));
    private final Random random;
    private final List<Runner> runners = new ArrayList<>();
    private final Map<ItemKey, Item> items = new LinkedHashMap<>();
    private final Map<ItemKey, SessionRequest> requests = new LinkedHashMap<>();
    private Predicate<ItemKey> bad = key -> false;
    private LedgerState ledger = LedgerState.empty();
    private long ms;
    private long offset;
    private int sessions;

    private Story(long seed) {
      random = new Random(seed);
      append(new LedgerEntry.Init(100, 45_000, List.of()));
    }

    private Runner runner(String id, @Nullable Broken how) {
      var made = new Runner(id, how);
      runners.add(made);
      return made;
    }

    private void items(int count) {
      for (int i = 0; i < count; i++) {
        String source = List.of("acme/web", "acme/api", "globex/web").get(random.nextInt(3));
        ItemKey key = ItemKey.parse(source + "/" + i);
        items.put(key, Item.UNKNOWN);
        decide(key, new Input.SnapshotSeen(origin(), Sample.snapshot("title " + i, "text " + i)));
      }
    }

    /** Until this holds or so much time has passed; whether it holds. */
    private boolean until(Duration limit, Predicate<Story> holds) {
      long end = ms + limit.toMillis();
      while (!holds.test(this) && ms < end) {
        ms += STEP_MS;
        step();
      }
      return holds.test(this);
    }

    private void step() {
      List.copyOf(items.keySet())
          .forEach(key ->
              phase(key)
                  .dueAt()
                  .filter(due -> !due.isAfter(now()))
                  .ifPresent(due -> decide(key, new Input.DueReached(origin()))));
      for (Runner each : runners) {
        each.faults.reopen(nanos(), session -> false);
        List.copyOf(each.live).stream()
            .filter(live -> live.endsAtMs <= ms)
            .forEach(live -> end(each, live));
        if (ms % 1_000 == 0) {
          append(
              new LedgerEntry.Runner(
                  each.id,
                  1,
                  "A",
                  SLOTS,
                  null,
                  each.has(DEEP) ? List.of(DEEP) : null,
                  each.declined(),
                  null));
        }
      }
      // A runner whose sessions fail within a second has free slots more often than the others.
      List<Runner> order = random.nextInt(4) == 0 ? runners : List.copyOf(runners).reversed();
      order.forEach(each -> {
        while (each.live.size() < SLOTS && claims(each)) {
          each.claims++;
        }
      });
    }

    private boolean claims(Runner runner) {
      boolean alone =
          runners.stream().noneMatch(each -> each != runner && each.live.size() < SLOTS);
      Optional<Waiting> found =
          first(runner, false).or(() -> alone ? first(runner, true) : Optional.empty());
      if (found.isEmpty()) {
        return false;
      }
      Waiting waiting = found.get();
      SessionRequest request = Objects.requireNonNull(requests.get(waiting.item()));
      String session = "session-" + ++sessions;
      Position at = waiting.at();
      append(
          Sample.with(
              Sample.claim(waiting.key(), request.request(), session),
              Map.of(
                  "requestAt",
                  at,
                  "readTo",
                  Long.MAX_VALUE,
                  "attempt",
                  request.attempt(),
                  "runner",
                  runner.id)));
      assertThat(ledger.lease(session)).as("nothing else claims in this moment").isPresent();
      runners.forEach(each -> each.index.used(waiting.key(), at));
      var asked = new Asked(session, waiting.item(), waiting.profile());
      runner.faults.began(asked);
      var ref =
          new Input.SessionRef(session, new Token("ledger", ledger.offset()), request.request());
      reported(
          waiting.item(),
          ref,
          EventType.SESSION_CLAIMED,
          EventData.EMPTY.with(Field.RUNNER, runner.id));
      Broken fault =
          runner.how == null && bad.test(waiting.item()) ? Broken.NO_KNOWN_CODE : runner.how;
      long takes = fault == null ? 6_000 + random.nextInt(4_000) : 200 + random.nextInt(800);
      runner.live.add(new Live(asked, ref, ms + takes, fault));
      return true;
    }

    private Optional<Waiting> first(Runner runner, boolean lastResorts) {
      var found = new ArrayList<Waiting>(1);
      runner.index.offer(
          tenant -> ledger.live(Scope.tenant(tenant)),
          waiting -> {
            if (runner.declines(waiting)) {
              return RequestIndex.Answer.NEXT_LANE;
            }
            if (!lastResorts && runner.faults.lastResort(waiting.profile(), waiting.item())) {
              return RequestIndex.Answer.NEXT;
            }
            found.add(waiting);
            return RequestIndex.Answer.ENOUGH;
          });
      return found.stream().findFirst();
    }

    private void end(Runner runner, Live live) {
      runner.live.remove(live);
      Broken fault = live.fault;
      boolean started = fault == null || !fault.beforeTheStart;
      End own = fault == null ? new End(Outcome.COMPLETED, null, null) : fault.end();
      End end =
          runner.faults.ended(
              live.asked, own, new Course(started, fault == null, started), nanos());
      runner.faults.over(live.asked.session());
      append(
          new LedgerEntry.Release(
              live.asked.session(),
              end.outcome(),
              end.reason(),
              end.failure(),
              null,
              null,
              Timings.ZERO,
              fault == null ? 100 : 0,
              0,
              Receipt.notStarted(),
              null));
      ItemKey key = live.asked.item();
      if (end.outcome() == Outcome.COMPLETED) {
        runner.completed++;
        var result = new SessionResult(null, "answer", List.of(), false, "agent", null, null);
        reported(
            key,
            live.ref,
            EventType.SESSION_RESULT,
            EventData.EMPTY.with(Field.OUTCOME, end.outcome().label()).with(Field.RESULT, result));
      }
      EventData data =
          EventData.EMPTY
              .with(Field.ENDED_BY, "released")
              .with(Field.FAILURE, end.failure())
              .with(Field.REASON, end.text())
              .with(Field.TOKENS, fault == null ? 100L : 0L)
              .with(Field.RECEIPT, Receipt.notStarted())
              .with(Field.OUTCOME, end.outcome().label());
      reported(key, live.ref, EventType.SESSION_LEASE_ENDED, data);
    }

    private void reported(ItemKey key, Input.SessionRef of, EventType type, EventData data) {
      decide(key, new Input.SessionReported(origin(), of, type, now(), data));
    }

    private void decide(ItemKey key, Input input) {
      ItemMachine.Decision decision =
          machine.decide(key, Objects.requireNonNull(items.get(key)), input, now(), Questions.NONE);
      items.put(key, decision.item());
      for (TriageEffect effect : decision.effects()) {
        switch (effect) {
          case TriageEffect.Ask ask ->
              decide(
                  key,
                  new Input.VerdictGiven(origin(), Sample.verdict(ask.question().triage(), true)));
          case TriageEffect.Request request -> {
            requests.put(key, request.request());
            long at = ++offset;
            Waiting waiting = Waiting.of(key.toString(), new Position(0, at), request.request(), 0);
            runners.forEach(each -> each.index.put(waiting));
          }
          case TriageEffect.Withdraw withdraw ->
              runners.forEach(each -> each.index.withdraw(key.toString()));
          case TriageEffect.Emit emit -> {}
          case TriageEffect.Publish publish -> {}
          case TriageEffect.GiveUp up -> {}
        }
      }
    }

    /** Whether why names this runner for an item that waits, and why. */
    private boolean named(Runner runner) {
      return items.keySet().stream()
          .filter(key -> phase(key) instanceof ItemPhase.Queued)
          .findFirst()
          .filter(key -> {
            SessionRequest request = Objects.requireNonNull(requests.get(key));
            var wanted = new WaitingRequest(request.request(), null, List.of());
            List<Reason> reasons =
                new WhyNotRunning(ledger, now(), Map.of()).reasons(key, state(key), wanted, null);
            Broken how = runner.how;
            return how != null
                && reasons.stream()
                    .map(Reason::detail)
                    .anyMatch(text ->
                        text.contains(runner.id + ": ")
                            || (runners.size() == 1
                                && (text.contains("profile") || text.contains("source"))));
          })
          .isPresent();
    }

    private boolean settled() {
      return phases(ItemPhase.Analyzed.class) + phases(ItemPhase.Dead.class) == items.size();
    }

    private long phases(Class<? extends ItemPhase> which) {
      return items.keySet().stream().filter(key -> which.isInstance(phase(key))).count();
    }

    private int failures() {
      return items.keySet().stream()
          .map(this::phase)
          .mapToInt(phase ->
              switch (phase) {
                case ItemPhase.Queued queued -> queued.outstanding().attempts().failures();
                case ItemPhase.Running running -> running.outstanding().attempts().failures();
                case ItemPhase.Failed failed -> failed.attempts().failures();
                default -> 0;
              })
          .sum();
    }

    private ItemPhase phase(ItemKey key) {
      return state(key).phase();
    }

    private ItemState state(ItemKey key) {
      return Objects.requireNonNull(Objects.requireNonNull(items.get(key)).state());
    }

    private void append(LedgerEntry entry) {
      ledger = ledger.fold(entry, ledger.offset() + 1, now()).state();
    }

    private InputPosition origin() {
      return new InputPosition("topic", 0, ++offset, ms);
    }

    private Instant now() {
      return NOON.plusMillis(ms);
    }

    private long nanos() {
      return ms * 1_000_000;
    }
  }
}
