package dev.flyball.ops.console.why;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table of all reasons and their scopes: each is made by entries that the ledger folds. */
class EveryReasonTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final ItemKey ITEM = ItemKey.parse("acme/ado/1");
  private static final LedgerEntry RUNNER = runner("r1", null);
  private static final ItemPhase QUEUED = queued(null);

  /**
   * @param scope that the reason names, null if it names none
   * @param entries of the ledger, after init with a cap of 2 and before the question
   */
  record Case(Word word, @Nullable String scope, ItemPhase phase, List<LedgerEntry> entries) {
    @Override
    public String toString() {
      return word.label() + " " + scope + " " + phase.word();
    }
  }

  static Stream<Case> cases() {
    var spent = new Limits(1_000_000L, null);
    var tokens = new Limits(null, 100L);
    var spend = new LedgerEntry.Spend("acme", "t1", 950_000, 100);
    return Stream.of(
        of(Word.RUNS, null, RUNNER, claim("acme/ado/1", "q1")),
        settled(new ItemPhase.Analyzed("s1")),
        settled(new ItemPhase.Skipped("vague")),
        settled(new ItemPhase.Dead("3 attempts")),
        settled(new ItemPhase.Cancelled("ann")),
        settled(new ItemPhase.Closed("fixed")),
        new Case(Word.TRIAGE, null, new ItemPhase.New(), List.of()),
        new Case(Word.TRIAGE, null, new ItemPhase.Triaging("t", 1, T, T), List.of()),
        new Case(
            Word.BACKING_OFF,
            null,
            new ItemPhase.Failed(ItemPhase.Attempts.FIRST, Sample.verdict(), T, "exit 1"),
            List.of()),
        of(Word.ENDING, null, RUNNER, claim("acme/ado/1", "q1"), release()),
        of(Word.AT_CAP, "global", RUNNER, claim("acme/web/2", "q2"), claim("o/web/3", "q3")),
        of(Word.AT_CAP, "tenant:acme", RUNNER, cap("tenant:acme"), claim("acme/web/2", "q2")),
        of(
            Word.AT_CAP,
            "source:acme/ado",
            RUNNER,
            cap("source:acme/ado"),
            claim("acme/ado/2", "q")),
        of(
            Word.AT_CAP,
            "provider:anthropic",
            RUNNER,
            cap("provider:anthropic"),
            claim("o/w/2", "q")),
        of(Word.PAUSED, "global", RUNNER, pause("global", 0, null)),
        of(Word.PAUSED, "tenant:acme", RUNNER, pause("tenant:acme", -1, T.plusSeconds(60))),
        of(Word.PAUSED, "source:acme/ado", RUNNER, pause("source:acme/ado", -1, null)),
        of(Word.PROVIDER, "provider:anthropic", RUNNER, pause("provider:anthropic", -1, null)),
        of(
            Word.PROVIDER,
            "provider:anthropic",
            RUNNER,
            pause("provider:anthropic", -1, T.minusSeconds(9)),
            claim("o/w/2", "q2")),
        of(Word.BUDGET, "global", RUNNER, budget("global", 0, spent), spend),
        of(Word.BUDGET, "tenant:acme", RUNNER, budget("tenant:acme", -1, tokens), spend),
        of(Word.NO_RUNNER, null),
        of(Word.RUNNERS_REFUSE, null, runner("r1", "load")),
        new Case(Word.NO_PROFILE, null, queued(new Route("deep", "r", null)), List.of(RUNNER)),
        of(Word.NO_SOURCE, null, declining(LedgerEntry.Decline.UNKNOWN_SOURCE)),
        of(Word.RUNNERS_REFUSE, null, declining("repository")),
        of(Word.RUNNER_DECLINES, null, RUNNER, declining("repository")),
        of(Word.REQUESTS_LOST, null, RUNNER),
        of(Word.UNKNOWN_RULES, null, RUNNER),
        of(Word.QUEUED, null, RUNNER),
        of(Word.NEXT, null, RUNNER));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theReasonIsTheRightOneAndNamesItsScope(Case made) {
    LedgerState ledger = LedgerState.empty();
    ledger = fold(ledger, new LedgerEntry.Init(2, 45_000, List.of()));
    for (LedgerEntry entry : made.entries) {
      ledger = fold(ledger, entry);
    }
    if (made.word == Word.UNKNOWN_RULES) {
      LedgerSnapshot snapshot = ledger.snapshot();
      ((com.fasterxml.jackson.databind.node.ObjectNode) snapshot.state()).put("rules", 99);
      ledger = LedgerState.restore(snapshot);
    }
    long ahead = made.word == Word.QUEUED ? 7 : 0;
    var wanted =
        new WaitingRequest(
            "q1",
            "anthropic",
            List.of(new WaitingRequest.Ahead("acme/ado", null, Route.DEFAULT, ahead)));

    List<Reason> reasons =
        new WhyNotRunning(ledger, T.plusSeconds(1), Map.of("default", 100_000L))
            .reasons(
                ITEM,
                state(made.phase),
                wanted,
                made.word == Word.REQUESTS_LOST ? new LostTail(0, 1, 2) : null);

    assertThat(reasons).hasSize(made.word == Word.RUNNER_DECLINES ? 2 : 1);
    assertThat(reasons.getLast())
        .satisfies(reason -> {
          assertThat(reason.reason()).isEqualTo(made.word);
          assertThat(reason.scope()).isEqualTo(made.scope);
          assertThat(reason.detail()).isNotBlank();
        });
  }

  @Test
  @DisplayName("no reason is missing in the table")
  void everyReasonIsMade() {
    Set<Word> made = cases().map(Case::word).collect(Collectors.toSet());
    made.add(noService().reason());

    assertThat(made).containsExactlyInAnyOrder(Word.values());
    assertThat(
            Arrays.stream(ItemPhase.class.getPermittedSubclasses())
                .filter(phase -> phase != ItemPhase.Running.class))
        .as("and every state but running, which needs a lease")
        .isSubsetOf(cases().map(it -> (Class<?>) it.phase.getClass()).toList());
  }

  private static Reason noService() {
    return new ItemStatus("acme/ado/1", "t", "queued", List.of(), null, null)
        .withoutService("no service updates the data folder")
        .reasons()
        .getFirst();
  }

  private static Case of(Word word, @Nullable String scope, LedgerEntry... entries) {
    return new Case(word, scope, QUEUED, List.of(entries));
  }

  private static Case settled(ItemPhase phase) {
    return new Case(Word.SETTLED, null, phase, List.of());
  }

  private static LedgerState fold(LedgerState ledger, LedgerEntry entry) {
    return ledger.fold(entry, ledger.offset() + 1, T).state();
  }

  private static LedgerEntry runner(String id, @Nullable String refusing) {
    return new LedgerEntry.Runner(id, 1, "A", 9, refusing, null);
  }

  private static LedgerEntry declining(String code) {
    var decline = new LedgerEntry.Decline(null, "acme/ado", code, "fix it");
    return new LedgerEntry.Runner("r2", 1, "A", 9, null, null, List.of(decline));
  }

  private static LedgerEntry cap(String scope) {
    return new LedgerEntry.Cap(scope, 1, -1, "ann", "quiet");
  }

  private static LedgerEntry pause(String scope, long seen, @Nullable Instant until) {
    return new LedgerEntry.Pause(scope, until, seen, "ann", "release");
  }

  private static LedgerEntry budget(String scope, long seen, Limits limits) {
    return new LedgerEntry.Budget(scope, limits, seen, "ann", "month");
  }

  private static LedgerEntry claim(String item, String request) {
    return new LedgerEntry.Claim(
        request,
        new Position(0, 0),
        1,
        ItemKey.parse(item),
        1,
        "s-" + request,
        "r1",
        "anthropic",
        LedgerState.RULES,
        0);
  }

  private static LedgerEntry release() {
    return new LedgerEntry.Release(
        "s-q1",
        Outcome.COMPLETED,
        null,
        null,
        0,
        null,
        Timings.ZERO,
        0,
        0,
        new Receipt("A", 1, 0, List.of(), 0));
  }

  private static ItemPhase queued(@Nullable Route route) {
    return new ItemPhase.Queued(
        new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, route),
        Sample.verdict());
  }

  private static ItemState state(ItemPhase phase) {
    return new ItemState(
        ItemState.SCHEMA,
        Sample.snapshot("Search is slow", "text"),
        new Position(0, 0),
        null,
        phase,
        null,
        List.of(),
        0,
        0L,
        T);
  }
}
