package dev.flyball.bench;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Route;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A runner with the product's own participant and fold; only its sessions are simulated. Belongs to
 * the simulation's thread.
 */
final class SimulatedRunner implements ClaimSource {
  /** As the product's ledger thread, which wakes up at least this often. */
  private static final long LONGEST_WAIT = 250_000_000;

  private final LedgerEntry.Runner self;
  private final OfferedRequests offered;
  private final Consumer<LedgerEntry> appends;
  private final LongSupplier lengths;
  private final Participant participant;
  private final LiveSessions sessions = new LiveSessions();
  private long now;
  private long due;
  private int fenced;

  /**
   * @param lengths how long the next session runs, nanoseconds
   */
  SimulatedRunner(
      String id,
      ScalePlan plan,
      OfferedRequests offered,
      Consumer<LedgerEntry> appends,
      LongSupplier lengths) {
    this.self = new LedgerEntry.Runner(id, LedgerState.RULES, "A", ScalePlan.SLOTS, null, null);
    this.offered = offered;
    this.appends = appends;
    this.lengths = lengths;
    this.participant =
        new Participant(
            plan.times(),
            plan.seed(),
            this,
            () -> UUID.randomUUID().toString(),
            new SplittableRandom(id.hashCode()));
  }

  void begin(long at) {
    now = at;
    perform(participant.caughtUp(at));
  }

  void read(LedgerRecord read, long receivedAt) {
    now = receivedAt;
    perform(participant.read(read.maybeEntry(), read.offset(), read.appendTime(), receivedAt));
  }

  void tick(long at) {
    now = at;
    for (LedgerEntry.Release release : sessions.ended(at)) {
      perform(participant.dead(release, at));
    }
    perform(participant.tick(at));
    due = Math.min(Math.min(participant.nextTick(), sessions.nextEnd()), at + LONGEST_WAIT);
  }

  /** When it has to be called again at the latest. */
  long due() {
    return due;
  }

  int held() {
    return sessions.size();
  }

  /** Sessions that the protocol killed; a run with any of them measured an overload. */
  int fenced() {
    return fenced;
  }

  private void perform(List<Step> steps) {
    for (Step step : steps) {
      switch (step) {
        case Step.Append append -> appends.accept(append.entry());
        case Step.Start start -> sessions.begin(start.lease().session(), now, lengths.getAsLong());
        case Step.Closed closed -> sessions.closed(closed.session());
        case Step.Kill kill -> fenced++;
        case Step.StopClaiming stop ->
            throw new AssertionError(self.id() + " stopped: " + stop.reason());
        case Step.Extend extend -> {}
        case Step.End end -> {}
        case Step.Unstarted unstarted -> {}
        case Step.Cut cut -> {}
        case Step.Warn warn -> {}
      }
    }
  }

  @Override
  public Optional<LedgerEntry.Claim> next(String session, LedgerState ledger, Instant ledgerNow) {
    return next(session, ledger, ledgerNow, (item, profile, home) -> true);
  }

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    return sessions.size() >= self.slots()
        ? Optional.empty()
        : offered.first(Turns.WINDOW).stream()
            .filter(it -> turns.mayClaim(it.item(), Route.DEFAULT, null))
            .findFirst()
            .map(it -> offered.claim(it, session, self.id()));
  }

  @Override
  public boolean wanted(Lease lease) {
    return true;
  }

  @Override
  public LedgerEntry.Usage usage(String session) {
    return sessions.usage(session, now);
  }

  @Override
  public OptionalLong replacedBy(SpentRequest spent) {
    return offered.replacedBy(spent);
  }

  @Override
  public LedgerEntry.Runner self() {
    return self;
  }
}
