package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
  static final Candidate CANDIDATE =
      new Candidate("r1", new LedgerEntry.Position(0, 10), 11, ITEM, 1, null, 0);
  static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;

  private final Participant participant;
  private final List<Step> steps = new ArrayList<>();
  private final LedgerEntry.Init seed;
  private int sessions;
  private long offset;
  private long now = 1_000_000_000_000L;
  private @Nullable Candidate candidate;
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

  /** A live session's fence. */
  Fence fence(String session) {
    return Objects.requireNonNull(participant.fences().get(session), session);
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
    steps.addAll(participant.tick(now));
  }

  void wants(@Nullable Candidate candidate) {
    this.candidate = candidate;
    wanted = candidate != null || wanted;
    steps.addAll(participant.tick(now));
  }

  void wantsNoMore() {
    wanted = false;
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

  void budget(String scope, @Nullable Long costMicros, @Nullable Long tokens) {
    read(
        new LedgerEntry.Budget(
            scope,
            new LedgerEntry.Limits(costMicros, tokens),
            participant.ledger().lastOperator(scope),
            "ann",
            "test"));
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
        request, new LedgerEntry.Position(0, 10), 11, item, 1, session, "other", null, 1, 0);
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
  public Optional<Candidate> next(LedgerState ledger, Instant ledgerNow) {
    return Optional.ofNullable(candidate);
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
    return new LedgerEntry.Runner("me", 1, "A", 4, null);
  }
}
