package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A participant, a clock that tests move, and a log that tests write; steps are collected, not
 * done.
 */
final class OneRunner implements ClaimSource {
  static final LedgerEntry.Claim CANDIDATE = candidate(1);
  static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;

  private final Participant participant;
  private final List<Step> steps = new ArrayList<>();
  private final LedgerEntry.Init seed;
  private int sessions;
  private long offset;
  private long now = 1_000_000_000_000L;
  private LedgerEntry.@Nullable Claim candidate;
  private boolean wanted = true;
  private OptionalLong replacedBy = OptionalLong.empty();
  private int rules = 1;

  OneRunner(int cap) {
    this(cap, TIMES, List.of());
  }

  /** One with clocks of its own, and budgets to seed the ledger with. */
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
    runner.started(1);
    return runner;
  }

  Participant participant() {
    return participant;
  }

  /** Claims a candidate and starts its session, whose id is returned. */
  String started(int number) {
    wants(candidate(number));
    LedgerEntry.Claim claim = claim();
    wants(null);
    read(claim);
    assertThat(taken()).hasAtLeastOneElementOfType(Step.Start.class);
    return claim.session();
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
    tick();
  }

  private void tick() {
    steps.addAll(participant.tick(now));
    assertThat(participant.nextTick()).as("a tick does all that is due").isGreaterThan(now);
  }

  /**
   * Ticks when it is due until such an entry is appended, and a nanosecond before each time, when
   * it must not be. What this runner says of itself is read, as from a log that is up.
   *
   * @return how long that took
   */
  Duration until(Class<? extends LedgerEntry> kind) {
    steps.clear();
    long from = now;
    tick();
    while (entries(kind).isEmpty()) {
      long due = participant.nextTick();
      assertThat(due - from).as(kind.getSimpleName()).isLessThan(Duration.ofDays(1).toNanos());
      now = due - 1;
      tickReading();
      assertThat(entries(kind)).as("before the tick that is due").isEmpty();
      now = due;
      tickReading();
    }
    return Duration.ofNanos(now - from);
  }

  private void tickReading() {
    int heard = entries(LedgerEntry.Runner.class).size();
    tick();
    entries(LedgerEntry.Runner.class).stream().skip(heard).forEach(this::read);
  }

  void wants(LedgerEntry.@Nullable Claim candidate) {
    this.candidate = candidate;
    wanted = candidate != null || wanted;
    tick();
  }

  void wantsNoMore() {
    wanted = false;
  }

  /** Knows these rules and all before. */
  void knows(int newest) {
    rules = newest;
  }

  void replacedBy(long by) {
    replacedBy = OptionalLong.of(by);
  }

  void caughtUp() {
    steps.addAll(participant.caughtUp(now));
  }

  void startFrom(LedgerState state) {
    steps.addAll(participant.startFrom(state, now));
    offset = state.offset() + 1;
  }

  void read(LedgerEntry entry) {
    readAt(Instant.EPOCH, entry);
  }

  void readAt(Instant appendTime, LedgerEntry entry) {
    steps.addAll(participant.read(Optional.of(entry), offset++, appendTime, now));
  }

  void readNoEntry() {
    steps.addAll(participant.read(Optional.empty(), offset++, Instant.EPOCH, now));
  }

  void budget(String scope, Limits limits) {
    long seen = participant.ledger().lastOperator(scope);
    read(new LedgerEntry.Budget(scope, limits, seen, "ann", "test"));
  }

  void dead(String session) {
    steps.addAll(participant.dead(releaseOf(session), now));
  }

  void unusable() {
    steps.addAll(participant.ledgerUnusable("another topic id"));
  }

  /** The steps since the last call, without this runner's own entries about itself. */
  List<Step> taken() {
    List<Step> taken =
        steps.stream()
            .filter(step -> !(step instanceof Step.Append(LedgerEntry.Runner _)))
            .toList();
    steps.clear();
    return taken;
  }

  <T extends Step> List<T> taken(Class<T> kind) {
    return taken().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The entries of a kind appended since the last call. */
  <T extends LedgerEntry> List<T> appended(Class<T> kind) {
    List<T> entries = entries(kind);
    steps.clear();
    return entries;
  }

  /** The only one. */
  <T extends LedgerEntry> T one(Class<T> kind) {
    List<T> all = appended(kind);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private <T extends LedgerEntry> List<T> entries(Class<T> kind) {
    return steps.stream()
        .filter(Step.Append.class::isInstance)
        .map(step -> ((Step.Append) step).entry())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  LedgerEntry.Claim claim() {
    return one(LedgerEntry.Claim.class);
  }

  LedgerEntry.Renew renewal() {
    return one(LedgerEntry.Renew.class);
  }

  static ItemKey item(int number) {
    return ItemKey.parse("acme/web/" + number);
  }

  static LedgerEntry.Runner runner(String id) {
    return new LedgerEntry.Runner(id, 1, "A", 4, null, null, null, null);
  }

  static LedgerEntry.Claim othersClaim(String session, int number) {
    return othersClaim(session, number, "other", null);
  }

  static LedgerEntry.Claim othersClaim(
      String session, int number, String runner, @Nullable String provider) {
    return claim("q" + number, new Position(0, 10), item(number), session, runner, provider);
  }

  static LedgerEntry.Renew othersRenewal(long n, String... sessions) {
    return new LedgerEntry.Renew(
        n, Arrays.stream(sessions).map(each -> new LedgerEntry.Usage(each, 0, 0)).toList());
  }

  static LedgerEntry.Release releaseOf(String session) {
    return releaseOf(session, Outcome.COMPLETED);
  }

  static LedgerEntry.Release releaseOf(String session, Outcome outcome) {
    return new LedgerEntry.Release(
        session, outcome, null, null, 0, null, Timings.ZERO, 0, 0, Receipt.notStarted(), null);
  }

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    return Optional.ofNullable(candidate)
        .filter(it -> turns.mayClaim(it.item(), Route.DEFAULT, _ -> false))
        .map(it ->
            claim(it.request(), it.requestAt(), it.item(), session, it.runner(), it.provider()));
  }

  /** A claim to want; its session is drawn when it is sent. */
  static LedgerEntry.Claim candidate(int number) {
    return candidate(number, new Position(0, 10), null);
  }

  static LedgerEntry.Claim candidate(int number, Position at, @Nullable String provider) {
    return claim("r" + number, at, item(number), "none yet", "me", provider);
  }

  private static LedgerEntry.Claim claim(
      String request,
      Position at,
      ItemKey item,
      String session,
      String runner,
      @Nullable String provider) {
    return new LedgerEntry.Claim(
        request, at, at.offset() + 1, item, 1, session, runner, provider, 1, 0);
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
    return new LedgerEntry.Runner("me", rules, "A", 4, null, null, null, null);
  }
}
