package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import dev.flyball.runner.queue.RequestIndex;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.testkit.Sample;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The board and the participant together, with a log that is a list: no broker, no threads, no
 * clock.
 */
class RequestBoardTest {
  private static final int SLOTS = 3;
  private static final ClaimSource.Turns ALL = (item, profile, home) -> true;
  private static final long MS = 1_000_000L;
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

  private final ArrayDeque<LedgerEntry> sent = new ArrayDeque<>();
  private final List<String> live = new ArrayList<>();
  private final RequestBoard board =
      new RequestBoard(
          new RunnerCallbacks.Self("r1", "A", SLOTS, Map.of("default", 0L)),
          held ->
              held < SLOTS
                  ? Optional.empty()
                  : Optional.of(new GateRefusal(GateRefusal.Kind.SLOTS, "none free")),
          RunnerCallbacks.Declines.NONE);
  private final LeaseTimes times = LeaseTimes.DEFAULTS;
  private final Map<String, Long> claimSentAt = new HashMap<>();
  private long clock;
  private int most;
  private int completed;

  @Test
  void isIdleOnlyWhileNoRequestWaits() {
    assertThat(board.idle()).isTrue();

    board.read(record("t/s/1", 0));

    assertThat(board.idle()).as("its gate may open at any time").isFalse();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @DisplayName(
      "claims in flight and live sessions are never more than the free slots, and everything runs"
          + " once (S0-25, S0-42, S0-43, S0-47)")
  void neverMoreClaimsInFlightThanFreeSlots(long seed) {
    var random = new Random(seed);
    var participant =
        new Participant(
            times,
            new LedgerEntry.Init(10, times.lease().toMillis(), List.of()),
            board,
            () -> UUID.randomUUID().toString(),
            random);
    long now = 0;
    long offset = 0;
    int requests = 40;
    for (int i = 0; i < requests; i++) {
      board.read(record("t" + random.nextInt(3) + "/s/" + i, i));
    }
    board.readTo(Map.of(0, (long) requests));
    perform(participant.caughtUp(now));
    while (completed < requests && now < 10_000_000 * MS) {
      now += random.nextInt(2_000) * MS;
      clock = now;
      while (!sent.isEmpty() && random.nextInt(4) > 0) {
        LedgerEntry entry = sent.removeFirst();
        perform(
            participant.read(Optional.of(entry), offset++, Instant.ofEpochMilli(now / MS), now));
        if (entry instanceof LedgerEntry.Claim claim) {
          participant.ledger().lease(claim.session()).ifPresent(board::claimed);
        }
        check(seed);
      }
      if (!live.isEmpty() && random.nextInt(3) == 0) {
        perform(participant.dead(ended(live.removeFirst()), now));
      }
      perform(participant.tick(now));
      check(seed);
    }

    assertThat(completed).as("seed %d", seed).isEqualTo(requests);
    assertThat(most).as("seed %d", seed).isEqualTo(SLOTS);
  }

  @Test
  void aRecordThatIsNoRequestTakesNothingBack() {
    board.read(record("t/s/1", 0));
    var broken =
        new ConsumerRecord<>("requests", 0, 1, "t/s/1", "{oops".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> board.read(broken)).isInstanceOf(UnreadableRecord.class);
    board.readTo(Map.of(0, 2L));

    assertThat(offered(board, ledger(10))).as("the earlier request").contains("t/s/1");
  }

  @ParameterizedTest
  @EnumSource
  void requestsThatMayNotRunDoNotHideOthers(Bar bar) {
    int older = 20_000;
    byte[] urgent = record("acme/a/0", 0, 1, Instant.EPOCH, "anthropic").value();
    for (int i = 0; i < older; i++) {
      board.read(new ConsumerRecord<>("requests", 0, i, "acme/a/" + i, urgent));
    }
    board.read(record("acme/b/1", older, 4, Instant.EPOCH.plusSeconds(60), null));
    board.readTo(Map.of(0, older + 1L));
    LedgerState ledger = bar.ledger();

    long began = System.nanoTime();
    Optional<String> next = offered(board, ledger);
    long micros = (System.nanoTime() - began) / 1_000;

    assertThat(next).contains("acme/b/1");
    assertThat(micros).as("microseconds for one search").isLessThan(1_000_000);
  }

  /** What keeps source a, or the provider of its requests, from running. */
  enum Bar {
    SOURCE_PAUSED(new LedgerEntry.Pause("source:acme/a", null, -1, "ann", "release")),
    SOURCE_AT_CAP(new LedgerEntry.Cap("source:acme/a", 0, -1, "ann", "release")),
    SOURCE_OVER_BUDGET(
        new LedgerEntry.Budget("source:acme/a", new Limits(null, 0L), -1, "ann", "release")),
    PROVIDER_PAUSED(
        new LedgerEntry.Pause("provider:anthropic", NOON.plusSeconds(60), -1, "r1", "rate limit"));

    private final LedgerEntry entry;

    Bar(LedgerEntry entry) {
      this.entry = entry;
    }

    LedgerState ledger() {
      return LedgerState.empty()
          .fold(new LedgerEntry.Init(3, 45_000, List.of()), 0, NOON)
          .state()
          .fold(entry, 1, NOON)
          .state();
    }
  }

  @Test
  @DisplayName("what its own faults concern is declined and announced, and hides nothing else")
  void whatARunnerDeclinesHidesNothing() {
    var declined = new LedgerEntry.Decline(null, "acme/a", "repository", "no folder");
    RequestBoard picky =
        open(Map.of("default", 0L), new Picky("acme/a", "acme/b/1", List.of(declined)));
    picky.read(record("acme/a/1", 0));
    picky.read(record("acme/b/1", 1));
    picky.readTo(Map.of(0, 3L));
    LedgerState ledger = Bar.PROVIDER_PAUSED.ledger();
    picky.turn();

    assertThat(picky.self().declines()).containsExactly(declined);
    assertThat(picky.self().reserves()).containsExactly(Map.entry("default", 0L));
    assertThat(picky.self().refusing()).isNull();
    assertThat(offered(picky, ledger)).as("nothing else waits").contains("acme/b/1");
    picky.read(record("acme/b/2", 2));
    assertThat(offered(picky, ledger)).as("another item goes first").contains("acme/b/2");
  }

  @Test
  @DisplayName("a last resort waits for no other profile, whose sessions decide nothing about it")
  void anotherProfileKeepsNothingBack() {
    RequestBoard two =
        open(Map.of("default", 0L, "deep", 0L), new Picky("none", "acme/b/1", List.of()));
    two.read(record("acme/b/1", 1));
    two.read(asking("acme/b/3", 3, "deep"));
    two.readTo(Map.of(0, 4L));

    assertThat(offered(two, ledger(3))).contains("acme/b/1");
    assertThat(besideOthers(two, ledger(3), "acme/b/1")).contains("acme/b/3");
  }

  @Test
  void aRunnerThatClaimsNothingSaysSoInItsEntry() {
    assertThat(board.self().refusing()).isNull();
    board.refuse("draining");
    assertThat(board.self().refusing()).isEqualTo("draining");

    var busy =
        new RequestBoard(
            new RunnerCallbacks.Self("r1", "A", SLOTS, Map.of("default", 0L)),
            held -> Optional.of(new GateRefusal(GateRefusal.Kind.LOAD, "load 9.00")),
            RunnerCallbacks.Declines.NONE);
    busy.read(record("acme/a/1", 0));
    busy.readTo(Map.of(0, 1L));
    assertThat(offered(busy, ledger(3))).isEmpty();
    assertThat(busy.self().refusing()).isEqualTo("load");
  }

  @Test
  @DisplayName("a request beside that of another runner's turn is claimed only if both may run")
  void claimsBesideOthersKeepEveryCap() {
    board.read(record("acme/a/1", 0, 1, Instant.EPOCH, null));
    board.read(record("acme/a/2", 1, 2, Instant.EPOCH, null));
    board.read(record("quiet/b/1", 2, 3, Instant.EPOCH, null));
    board.readTo(Map.of(0, 3L));
    LedgerState one =
        ledger(3)
            .fold(new LedgerEntry.Cap("tenant:acme", 1, -1, "ann", "release"), 1, NOON)
            .state();

    assertThat(besideOthers(board, ledger(1), "acme/a/1")).as("one permit").isEmpty();
    assertThat(besideOthers(board, one, "acme/a/1")).contains("quiet/b/1");
    assertThat(besideOthers(board, ledger(3), "acme/a/1", "quiet/b/1")).contains("acme/a/2");
  }

  /** Declines a source, and claims one request only if there is no other. */
  private record Picky(String source, String last, List<LedgerEntry.Decline> declined)
      implements RunnerCallbacks.Declines {
    @Override
    public boolean declines(Waiting request) {
      return request.source().equals(source);
    }

    @Override
    public boolean lastResort(Waiting request) {
      return request.key().equals(last);
    }

    @Override
    public List<LedgerEntry.Decline> turn(List<RequestIndex.Group> waiting) {
      return declined;
    }
  }

  /** Of a runner whose gate is open. */
  private static RequestBoard open(Map<String, Long> reserves, RunnerCallbacks.Declines declines) {
    return new RequestBoard(
        new RunnerCallbacks.Self("r1", "A", SLOTS, reserves), held -> Optional.empty(), declines);
  }

  private static Optional<String> offered(RequestBoard board, LedgerState ledger) {
    return board.next("session", ledger, NOON, ALL).map(it -> it.item().toString());
  }

  /** The request that is offered while it is other runners' turn at these. */
  private static Optional<String> besideOthers(
      RequestBoard board, LedgerState ledger, String... theirs) {
    return board
        .next(
            "session",
            ledger,
            NOON,
            (item, profile, home) -> !List.of(theirs).contains(item.toString()))
        .map(it -> it.item().toString());
  }

  @Test
  void aRequestThatItsBrokerLostIsNotOffered() {
    board.read(record("acme/a/kept", 94, 4, Instant.EPOCH, null));
    board.read(record("acme/a/lost", 95, 1, Instant.EPOCH, null));
    board.read(inPartition(1, record("acme/a/other", 95, 4, Instant.EPOCH.plusSeconds(9), null)));
    board.lost(0, 95);
    board.readTo(Map.of(0, 95L, 1, 96L));

    assertThat(board.waiting()).isEqualTo(2);
    assertThat(offered(board, ledger(3))).contains("acme/a/kept");
  }

  @Test
  void theCapHoldsUpWhatWaitsWhileNoPermitIsFree() {
    LedgerState full = full(ledger(3));

    assertThat(board.heldByCap(full)).as("no request waits").isFalse();
    board.read(record("acme/a/1", 0));
    assertThat(board.heldByCap(full)).isTrue();
    assertThat(board.heldByCap(ledger(3))).as("slots are free").isFalse();
  }

  @Test
  @DisplayName("a request for an agent that this runner lacks waits, and holds up no other (S0-42)")
  void aRequestForAnotherRunnersAgentWaits() {
    board.read(asking("acme/a/0", 0, "deep"));
    board.read(record("acme/a/1", 1, 4, Instant.EPOCH.plusSeconds(60), null));
    board.readTo(Map.of(0, 2L));

    assertThat(offered(board, ledger(3))).contains("acme/a/1");
    assertThat(board.self().profiles()).isNull();
  }

  @Test
  @DisplayName("each agent's claim reserves what that agent may cost (INV-8)")
  void theClaimReservesForItsProfile() {
    RequestBoard runner = open(Map.of("default", 5L, "deep", 70L), RunnerCallbacks.Declines.NONE);
    runner.read(asking("acme/a/0", 0, "deep"));
    runner.read(record("acme/b/1", 1, 4, Instant.EPOCH.plusSeconds(60), null));
    runner.readTo(Map.of(0, 2L));

    assertThat(runner.next("one", ledger(3), NOON, ALL).map(LedgerEntry.Claim::reserve))
        .contains(70L);
    runner.read(new ConsumerRecord<>("requests", 0, 2, "acme/a/0", null));
    runner.readTo(Map.of(0, 3L));
    assertThat(runner.next("two", ledger(3), NOON, ALL).map(LedgerEntry.Claim::reserve))
        .contains(5L);
    assertThat(runner.self().profiles()).containsExactly("deep");
  }

  private static ConsumerRecord<String, byte[]> asking(String key, long offset, String profile) {
    SessionRequest request =
        Sample.with(
            Sample.request("r" + offset, 1, Instant.EPOCH, null, Sample.snapshot()),
            Map.of("route", new Route(profile, "routes[0]: every item", null)));
    return new ConsumerRecord<>("requests", 0, offset, key, RecordJson.bytes(request));
  }

  private static LedgerState ledger(int cap) {
    return LedgerState.empty().fold(new LedgerEntry.Init(cap, 45_000, List.of()), 0, NOON).state();
  }

  /** The same with every permit taken, by sessions of another tenant. */
  private static LedgerState full(LedgerState ledger) {
    LedgerState filled = ledger;
    for (int i = 0; i < ledger.cap(); i++) {
      var claim = Sample.claim("quiet/c/" + i, "other-" + i, "other-session-" + i);
      filled = filled.fold(claim, filled.offset() + 1, NOON).state();
    }
    assertThat(filled.live()).isEqualTo(ledger.cap());
    return filled;
  }

  private static ConsumerRecord<String, byte[]> inPartition(
      int partition, ConsumerRecord<String, byte[]> record) {
    return new ConsumerRecord<>(
        record.topic(), partition, record.offset(), record.key(), record.value());
  }

  private static LedgerEntry.Release ended(String session) {
    return new Step.Unstarted(session, Outcome.COMPLETED, "done").release();
  }

  static List<Long> seeds() {
    long fresh = new Random().nextLong();
    return List.of(1L, 2L, 3L, 4L, fresh, fresh + 1);
  }

  private void check(long seed) {
    // One that is late is given up: should it take effect after all, it is released unstarted.
    long inFlight =
        sent.stream()
            .filter(entry ->
                entry instanceof LedgerEntry.Claim claim
                    && clock - claimSentAt.getOrDefault(claim.session(), 0L)
                        <= times.late().toNanos())
            .count();
    int held = board.sessions().size();
    most = Math.max(most, held);
    assertThat(held).as("seed %d: held", seed).isLessThanOrEqualTo(SLOTS);
    assertThat(inFlight)
        .as("seed %d: in flight", seed)
        .isLessThanOrEqualTo(Math.max(1, SLOTS - held));
  }

  private void perform(List<Step> steps) {
    for (Step step : steps) {
      switch (step) {
        case Step.Append append -> {
          if (append.entry() instanceof LedgerEntry.Claim claim) {
            claimSentAt.put(claim.session(), clock);
          }
          sent.add(append.entry());
        }
        case Step.Start start -> {
          Waiting found = board.offered(start.lease().session()).orElseThrow().waiting();
          board.add(
              new Session(
                  start.lease(),
                  new Token("t", start.lease().claimedAt()),
                  found,
                  Optional::empty,
                  start.fence()));
          live.add(start.lease().session());
        }
        case Step.Closed closed -> {
          board.remove(closed.session());
          completed++;
        }
        case Step.Kill kill -> live.remove(kill.session());
        case Step.End end -> live.remove(end.session());
        case Step.Extend extend -> {}
        case Step.Unstarted unstarted -> {} // its release is closed like any other
        case Step.StopClaiming stop -> throw new AssertionError(stop.reason());
        case Step.Cut cut -> {}
        case Step.Warn warn -> {}
      }
    }
  }

  private static ConsumerRecord<String, byte[]> record(String key, long offset) {
    return record(key, offset, (int) (offset % 4), Instant.EPOCH, null);
  }

  private static ConsumerRecord<String, byte[]> record(
      String key, long offset, int priority, Instant since, @Nullable String provider) {
    var snapshot = Sample.snapshot("title", "text");
    var request = Sample.request("request-" + offset, priority, since, provider, snapshot);
    return new ConsumerRecord<>("requests", 0, offset, key, RecordJson.bytes(request));
  }
}
