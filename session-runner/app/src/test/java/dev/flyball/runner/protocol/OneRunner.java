package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A participant, a clock that tests move, and a log that tests write; steps are collected, not
 * done.
 */
final class OneRunner implements ClaimSource {
  static final ItemKey ITEM = ItemKey.parse("acme/web/1");
  static final LedgerEntry.Claim CANDIDATE = claimOf("r1", new Position(0, 10), ITEM, null);
  static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;

  private final Participant participant;
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, Fence> fences = new HashMap<>();
  private final LedgerEntry.Init seed;
  private int sessions;
  private long offset;
  private long now = 1_000_000_000_000L;
  private LedgerEntry.@Nullable Claim candidate;
  private boolean wanted = true;
  private OptionalLong replacedBy = OptionalLong.empty();

  OneRunner(int cap) {
    this(cap, TIMES, List.of());
  }

  /** One with clocks of its own. */
  OneRunner(int cap, LeaseTimes times) {
    this(cap, times, List.of());
  }

  /** One with budgets to seed the ledger with. */
  OneRunner(int cap, LeaseTimes times, List<LedgerEntry.ScopedLimits> budgets) {
    seed = new LedgerEntry.Init(cap, times.lease().toMillis(), budgets);
    participant =
        new Participant(times, seed, this, () -> "mine" + ++sessions, new SplittableRandom(1));
  }

  /** One that has seeded the ledger and read it. */
  static OneRunner ready(int cap) {
    var runner = new OneRunner(cap);
    runner.caughtUp();
    runner.read(runner.seed);
    runner.taken();
    return runner;
  }

  /** One whose first session is live. */
  static OneRunner holding() {
    OneRunner runner = ready(3);
    runner.wants(CANDIDATE);
    runner.read(runner.claim());
    runner.wants(null);
    runner.taken();
    return runner;
  }

  Participant participant() {
    return participant;
  }

  /** The fence that the last step of a session gave it. */
  Fence fence(String session) {
    return Objects.requireNonNull(fences.get(session), session);
  }

  private void took(List<Step> decided) {
    for (Step step : decided) {
      if (step instanceof Step.Start start) {
        fences.put(start.lease().session(), start.fence());
      } else if (step instanceof Step.Extend extend) {
        fences.put(extend.session(), extend.fence());
      }
    }
    steps.addAll(decided);
  }

  long now() {
    return now;
  }

  Instant ledgerNow() {
    return participant.ledgerNow(now);
  }

  long next() {
    return offset;
  }

  void pass(Duration time) {
    now += time.toNanos();
  }

  void passAndTick(Duration time) {
    pass(time);
    took(participant.tick(now));
  }

  /** Passes time in which this runner reads its own entries, as from a log that is up. */
  void passReading(Duration time) {
    Duration left = time;
    for (; left.compareTo(TIMES.heartbeat()) > 0; left = left.minus(TIMES.heartbeat())) {
      passAndTick(TIMES.heartbeat());
      read(self());
    }
    passAndTick(left);
  }

  void wants(LedgerEntry.@Nullable Claim candidate) {
    this.candidate = candidate;
    wanted = candidate != null || wanted;
    took(participant.tick(now));
  }

  void wantsNoMore() {
    wanted = false;
  }

  void replacedBy(long by) {
    replacedBy = OptionalLong.of(by);
  }

  void caughtUp() {
    took(participant.caughtUp(now));
  }

  void startFrom(LedgerState state) {
    took(participant.startFrom(state, now));
    offset = state.offset() + 1;
  }

  void read(LedgerEntry entry) {
    readAt(Instant.EPOCH, entry);
  }

  void readAt(Instant appendTime, LedgerEntry entry) {
    took(participant.read(Optional.of(entry), offset++, appendTime, now));
  }

  void budget(String scope, @Nullable Long costMicros, @Nullable Long tokens) {
    read(
        new LedgerEntry.Budget(
            scope,
            new Limits(costMicros, tokens),
            participant.ledger().lastOperator(scope),
            "ann",
            "test"));
  }

  void dead(String session) {
    took(participant.dead(releaseOf(session), now));
  }

  void unusable() {
    took(participant.ledgerUnusable("another topic id"));
  }

  /** The steps since the last call, without this runner's own entries about itself. */
  List<Step> taken() {
    List<Step> taken =
        steps.stream()
            .filter(step ->
                !(step instanceof Step.Append append
                    && append.entry() instanceof LedgerEntry.Runner))
            .toList();
    steps.clear();
    return taken;
  }

  /** Every entry appended since the last call, those about itself included. */
  List<LedgerEntry> allAppended() {
    List<LedgerEntry> all =
        steps.stream()
            .filter(Step.Append.class::isInstance)
            .map(step -> ((Step.Append) step).entry())
            .toList();
    steps.clear();
    return all;
  }

  <T extends LedgerEntry> List<T> appended(Class<T> kind) {
    return taken().stream()
        .filter(Step.Append.class::isInstance)
        .map(step -> ((Step.Append) step).entry())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  LedgerEntry.Claim claim() {
    return appended(LedgerEntry.Claim.class).getFirst();
  }

  LedgerEntry.Renew renewal() {
    return appended(LedgerEntry.Renew.class).getFirst();
  }

  static LedgerEntry.Claim othersClaim(String session, String request, ItemKey item) {
    return new LedgerEntry.Claim(
        request, new Position(0, 10), 11, item, 1, session, "other", null, 1, 0);
  }

  static LedgerEntry.Renew othersRenewal(long n, String... sessions) {
    return new LedgerEntry.Renew(
        n, Arrays.stream(sessions).map(each -> new LedgerEntry.Usage(each, 0, 0)).toList());
  }

  static LedgerEntry.Release releaseOf(String session) {
    return new LedgerEntry.Release(
        session, Outcome.COMPLETED, null, null, 0, null, Timings.ZERO, 0, 0, Receipt.notStarted());
  }

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    return Optional.ofNullable(candidate)
        .filter(it -> turns.mayClaim(it.item(), Route.DEFAULT, _ -> false))
        .map(it -> claimFor(session, it));
  }

  /** A claim to want; its session is drawn when it is sent. */
  static LedgerEntry.Claim claimOf(
      String request, Position at, ItemKey item, @Nullable String provider) {
    return new LedgerEntry.Claim(
        request, at, at.offset() + 1, item, 1, "none yet", "me", provider, 1, 0);
  }

  private static LedgerEntry.Claim claimFor(String session, LedgerEntry.Claim of) {
    return new LedgerEntry.Claim(
        of.request(),
        of.requestAt(),
        of.readTo(),
        of.item(),
        of.attempt(),
        session,
        of.runner(),
        of.provider(),
        of.rules(),
        of.reserve());
  }

  @Override
  public boolean wanted(Lease asked) {
    return wanted;
  }

  @Override
  public LedgerEntry.Usage usage(String session) {
    return new LedgerEntry.Usage(session, 7, 70);
  }

  @Override
  public OptionalLong replacedBy(SpentRequest spent) {
    return replacedBy;
  }

  @Override
  public LedgerEntry.Runner self() {
    return new LedgerEntry.Runner("me", 1, "A", 4, null, null, null, null);
  }
}
