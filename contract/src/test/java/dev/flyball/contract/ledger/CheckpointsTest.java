package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static dev.flyball.contract.ledger.LedgerStory.claimOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.topic.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints, digests and the upgrade of rules. */
class CheckpointsTest {
  private static final Lease NO_LEASE =
      ((Effect.Claimed) LedgerStory.withCap(1).claim("s", "r", "acme/web/1")).lease();

  private final LedgerStory story = LedgerStory.withCap(3);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void readingOnFromACheckpointGivesWhatReadingFromTheStartGives(long seed) {
    List<LedgerEntry> entries = randomEntries(seed, 600);
    LedgerState whole = LedgerState.empty();
    LedgerState resumed = LedgerState.empty();
    int most = 0;
    for (int i = 0; i < entries.size(); i++) {
      whole = whole.fold(entries.get(i), i, NOON.plusSeconds(i)).state();
      resumed = resumed.fold(entries.get(i), i, NOON.plusSeconds(i)).state();
      if (i % 37 == 36) {
        resumed = LedgerState.restore(resumed.snapshot());
      }
      assertThat(resumed.digest()).as("seed %d entry %d", seed, i).isEqualTo(whole.digest());
      assertThat(Digest.of(whole.base(), whole.parts())).isEqualTo(whole.sum());
      assertThat(kept(resumed)).as("seed %d entry %d", seed, i).isEqualTo(counted(resumed));
      most = Math.max(most, whole.live());
    }
    assertThat(most).as("seed %d", seed).isGreaterThan(15);
    assertThat(RecordJson.write(resumed.snapshot())).isEqualTo(RecordJson.write(whole.snapshot()));
  }

  @Test
  void aCheckpointOfTheSameReadingAgreesAlsoWhenOthersCameBetween() {
    story.claim("s1", "r1", "acme/web/1");
    var checkpoint =
        new LedgerEntry.Checkpoint(story.state().offset(), 1, null, story.state().snapshot());
    story.claim("s2", "r2", "acme/web/2");

    assertThat(story.append(checkpoint)).isEqualTo(new Effect.Checkpointed(true));
    assertThat(story.state().lastCheckpoint()).isEqualTo(story.state().offset());
  }

  @Test
  void aCheckpointOfAnotherReadingDisagrees() {
    story.claim("s1", "r1", "acme/web/1");
    LedgerState wrong =
        LedgerState.empty()
            .fold(new LedgerEntry.Init(3, 45_000, List.of()), 0, NOON)
            .state()
            .skip(1);

    assertThat(story.append(new LedgerEntry.Checkpoint(1, 1, null, wrong.snapshot())))
        .isEqualTo(new Effect.Checkpointed(false));
  }

  @Test
  void aCheckpointFromBeforeTheReadersOwnStartIsNotCompared() {
    story.claim("s1", "r1", "acme/web/1");
    LedgerState restored = LedgerState.restore(story.state().snapshot());
    var old = new LedgerEntry.Checkpoint(0, 1, null, LedgerState.empty().snapshot());

    assertThat(restored.fold(old, 5, NOON).effect()).isEqualTo(new Effect.Checkpointed(true));
  }

  @Test
  void digestsOfManyChangesBackAreRememberedAndNotWithoutBound() {
    story.claim("s1", "r1", "acme/web/1");
    LedgerSnapshot early = story.state().snapshot();
    long at = story.state().offset();
    for (int i = 0; i < Digest.History.KEPT - 1; i++) {
      story.renew(i, "s1");
    }
    assertThat(story.append(new LedgerEntry.Checkpoint(at, 1, null, early)))
        .isEqualTo(new Effect.Checkpointed(true));
    assertThat(story.state().sumAt(at)).isNotNull();
    for (int i = 0; i < 3 * Digest.History.KEPT; i++) {
      story.renew(i, "s1");
    }
    assertThat(story.state().sumAt(at)).isNull();
  }

  @Test
  void newerRulesTakeEffectOnlyIfEveryOpenClaimKnowsThem() {
    story.append(claimOf("s1", "r1", "acme/web/1", 11, 1, 0));
    assertThat(story.append(new LedgerEntry.Rules(2))).isInstanceOf(Effect.None.class);
    assertThat(story.state().unknownRules()).isEmpty();
  }

  @Test
  void aReaderStopsAtRulesThatItDoesNotKnow() {
    story.append(claimOf("s1", "r1", "acme/web/1", 11, 2, 0));

    assertThat(story.append(new LedgerEntry.Rules(2))).isEqualTo(new Effect.UnknownRules(2));
    LedgerState stopped = story.state();
    assertThat(story.release("s1")).isEqualTo(new Effect.UnknownRules(2));
    assertThat(story.state()).isSameAs(stopped);
    assertThat(stopped.unknownRules()).contains(2);
  }

  @Test
  void aReaderStopsAtACheckpointOfRulesThatItDoesNotKnow() {
    story.append(new LedgerEntry.Rules(2));

    assertThat(LedgerState.restore(story.state().snapshot()).unknownRules()).contains(2);
  }

  @Test
  void rulesInForceAreNotSetAgain() {
    assertThat(story.append(new LedgerEntry.Rules(1))).isInstanceOf(Effect.None.class);
  }

  @Test
  void onlyTheRunnersHeardLastAreKeptEachOnceByItsNewestEntry() {
    for (int i = 0; i < Runners.KEPT + 10; i++) {
      story.append(new LedgerEntry.Runner("r" + i, 1, "A", 4, null, null, null, null));
    }
    story
        .at(NOON.plusSeconds(10))
        .append(new LedgerEntry.Runner("r20", 1, "A", 4, "load", null, null, null));

    assertThat(story.state().runners()).hasSize(Runners.KEPT);
    assertThat(story.state().runners())
        .last()
        .extracting(LedgerEntry.Runner::refusing)
        .isEqualTo("load");
    assertThat(story.state().runners()).extracting(LedgerEntry.Runner::id).containsOnlyOnce("r20");
    assertThat(story.state().heard("r20")).contains(NOON.plusSeconds(10));
    assertThat(story.state().heard("r1")).isEmpty();
  }

  private static List<LedgerEntry> randomEntries(long seed, int count) {
    var random = new SplittableRandom(seed);
    var all = LedgerStory.withCap(40);
    var entries = new ArrayList<LedgerEntry>();
    entries.add(new LedgerEntry.Init(40, 45_000, List.of()));
    while (entries.size() < count) {
      LedgerEntry entry = randomEntry(random, all.state());
      all.append(entry);
      entries.add(entry);
    }
    return entries;
  }

  private static LedgerEntry randomEntry(SplittableRandom random, LedgerState state) {
    int n = random.nextInt(200);
    String item = (random.nextBoolean() ? "acme" : "zeta") + "/web/" + n;
    List<Outcome> outcomes = List.of(Outcome.values());
    List<Lease> open = List.copyOf(state.leases());
    Lease lease = open.isEmpty() ? NO_LEASE : open.get(random.nextInt(open.size()));
    return switch (random.nextInt(open.isEmpty() ? 12 : 18)) {
      case 0 -> new LedgerEntry.Spend("acme", "ref" + n, random.nextInt(900), 3);
      case 1 ->
          new LedgerEntry.Cap(
              Scope.tenant("acme"),
              random.nextInt(40),
              state.lastOperator("tenant:acme"),
              "a",
              "b");
      case 2 ->
          new LedgerEntry.Pause(
              Scope.source("zeta/web"),
              NOON.plusSeconds(random.nextInt(600)),
              state.lastOperator("source:zeta/web"),
              "a",
              "b");
      case 3 -> new LedgerEntry.Settled("q" + n, 10 + random.nextInt(20));
      case 4 ->
          new LedgerEntry.Budget(
              Scope.tenant("zeta"),
              new Limits((long) random.nextInt(50_000), null),
              state.lastOperator("tenant:zeta"),
              "a",
              "b");
      case 5 ->
          new LedgerEntry.Resume(
              Scope.source("zeta/web"), state.lastOperator("source:zeta/web"), "a", "b");
      case 6 -> new LedgerEntry.Reserve("acme", "ref" + n, random.nextInt(900));
      case 7, 8, 9, 10, 11 ->
          new LedgerEntry.Claim(
              "q" + n,
              new Position(0, 10),
              40,
              ItemKey.parse(item),
              1,
              "s" + random.nextInt(10_000),
              "r" + random.nextInt(4),
              random.nextInt(3) == 0 ? null : "p" + random.nextInt(2),
              1,
              random.nextInt(500));
      case 12, 13, 14 ->
          new LedgerEntry.Renew(
              1,
              List.of(
                  usage(lease.session(), random),
                  usage(open.getFirst().session(), random),
                  usage(lease.session(), random)));
      case 15 -> new LedgerEntry.Expire(lease.session(), lease.seen() - random.nextInt(2));
      default ->
          new LedgerEntry.Release(
              lease.session(),
              outcomes.get(random.nextInt(outcomes.size())),
              "no output",
              null,
              1,
              null,
              Timings.ZERO,
              60,
              random.nextInt(900),
              random.nextBoolean() ? Receipt.notStarted() : Receipt.unknown(),
              null);
    };
  }

  /** More than the reserve, too, and less than the time before. */
  private static LedgerEntry.Usage usage(String session, SplittableRandom random) {
    return new LedgerEntry.Usage(session, random.nextInt(50), random.nextInt(900));
  }

  /**
   * Of each scope and each runner: how many leases are open, and what is left of their reserves.
   */
  private static Map<String, Leases.Total> counted(LedgerState state) {
    Map<String, Leases.Total> counted = new HashMap<>();
    for (Lease lease : state.leases()) {
      long left = Math.max(0, lease.reserve() - lease.costMicros());
      Scope.of(lease.item(), lease.provider())
          .forEach(scope -> counted.merge(scope, new Leases.Total(1, left), CheckpointsTest::sum));
      counted.merge(lease.runner(), new Leases.Total(1, 0), CheckpointsTest::sum);
    }
    return counted;
  }

  private static Leases.Total sum(Leases.Total one, Leases.Total other) {
    return new Leases.Total(one.open() + other.open(), one.reserved() + other.reserved());
  }

  private static Map<String, Leases.Total> kept(LedgerState state) {
    Map<String, Leases.Total> kept = new HashMap<>();
    state.parts().leases().byScope().forEach(kept::put);
    state
        .parts()
        .leases()
        .byRunner()
        .forEach((id, open) -> kept.put(id, new Leases.Total(open, 0)));
    return kept;
  }
}
