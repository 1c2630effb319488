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
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The reasons, as the ledger and the item's state give them. */
final class WhyNotRunningTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final ItemKey ITEM = ItemKey.parse("acme/ado/1");
  private static final ItemPhase.Outstanding OUT =
      new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, null);
  private static final ItemPhase QUEUED = new ItemPhase.Queued(OUT, verdict());

  private static final LedgerEntry RUNNER = runner("r1", null);

  private LedgerState ledger = LedgerState.empty();
  private Instant now = T.plusSeconds(10);

  @Test
  void aCapOfZeroIsCalledWhatItIs() {
    seeded(0, RUNNER);

    assertThat(only().detail()).isEqualTo("global cap is 0: no session may start");
  }

  @Test
  void aPauseNamesItsOperatorAndItsEndAndAProvidersLimitOnlyHoldsUpItsOwn() {
    Instant until = T.plusSeconds(60);
    seeded(3, RUNNER, entry("pause tenant:acme 60"));
    String text = "tenant:acme paused by ann until " + until + ": release";
    assertThat(only()).isEqualTo(new Reason(Word.PAUSED, "tenant:acme", until, text));
    now = until;
    assertThat(only().reason()).as("once it is over").isEqualTo(Word.NEXT);

    now = T;
    seeded(3, RUNNER, entry("pause provider:anthropic 60"));
    assertThat(only(wanted("anthropic")).until()).isEqualTo(until);
    assertThat(only(wanted(null)).reason()).isEqualTo(Word.NEXT);
  }

  @Test
  void theBudgetOfTheDayIsSpent() {
    seeded(
        3,
        RUNNER,
        new LedgerEntry.Budget("global", new Limits(1_000_000L, null), 0, "ann", "month's end"),
        new LedgerEntry.Spend("acme", "t1", 900_000, 0));

    assertThat(only(200_000, wanted(null)))
        .satisfies(it -> assertThat(it.reason()).isEqualTo(Word.BUDGET))
        .satisfies(it -> assertThat(it.detail()).contains("0.9 USD spent"));
    assertThat(only(100_000, wanted(null)).reason()).isEqualTo(Word.NEXT);
  }

  @Test
  @DisplayName("a budget is compared with what the live runners reserve, not with this console's")
  void theBudgetLeavesLessThanTheRunnersReserve() {
    var budget = new LedgerEntry.Budget("global", new Limits(1_000_000L, null), 0, "ann", "month");
    var spent = new LedgerEntry.Spend("acme", "t1", 900_000, 0);
    seeded(3, reserving("r1", 300_000), reserving("r2", 200_000), budget, spent);

    assertThat(only(0, wanted(null)).reason()).as("a free console").isEqualTo(Word.BUDGET);

    seeded(3, reserving("r1", 300_000), reserving("r2", 100_000), budget, spent);
    assertThat(only(5_000_000, wanted(null)).reason())
        .as("one of dearer sessions")
        .isEqualTo(Word.NEXT);
  }

  private static LedgerEntry reserving(String id, long reserve) {
    return new LedgerEntry.Runner(id, 1, "A", 4, null, null, null, Map.of(Route.DEFAULT, reserve));
  }

  @Test
  void noRunnerLives() {
    seeded(3);
    assertThat(only().reason()).isEqualTo(Word.NO_RUNNER);
    assertThat(only().detail()).as("no time at which one was seen").doesNotContain("20");

    seeded(3, RUNNER);
    now = T.plusSeconds(90);
    assertThat(only().reason()).isEqualTo(Word.NEXT);
    now = T.plusSeconds(91);
    assertThat(only().reason()).isEqualTo(Word.NO_RUNNER);
    assertThat(only().detail()).contains(T.toString());
  }

  @Test
  void everyRunnerRefusesEachWithItsReason() {
    seeded(
        5,
        runner("r1", "load"),
        new LedgerEntry.Runner("r2", 1, "A", 1, null, null, null, null),
        claim("acme/ado/2", "q2", "s2", "r2", null));

    assertThat(only())
        .isEqualTo(
            new Reason(
                Word.RUNNERS_REFUSE,
                "no runner accepts sessions: r1: load, r2: 1 of 1 slots taken"));

    fold(runner("r3", null));
    assertThat(only().reason()).as("one that would").isEqualTo(Word.NEXT);
  }

  @Test
  void noRunnerHasTheAgentThatTheRequestAsksFor() {
    var route = new Route("deep", "routes[0]: complexity 4", null);
    var out = new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, route);
    var deep = new ItemPhase.Queued(out, verdict());

    seeded(5, RUNNER);
    assertThat(one(deep)).isEqualTo(new Reason(Word.NO_PROFILE, "no runner has profile deep"));
    assertThat(only().reason()).as("the default agent").isEqualTo(Word.NEXT);

    fold(new LedgerEntry.Runner("r2", 1, "A", 4, "load", List.of("deep"), null, null));
    assertThat(one(deep).detail()).as("only runners that have it count").contains("r2: load");
    fold(new LedgerEntry.Runner("r2", 1, "A", 4, null, List.of("deep"), null, null));
    assertThat(reasons(deep, 0, null).getLast())
        .isEqualTo(
            new Reason(Word.RUNNER_DECLINES, "left to other runners: r1: has no profile deep"));
    assertThat(WhyNotRunning.route(deep)).isEqualTo(route);
  }

  @Test
  void aRunnerWithAFaultIsNamedForTheItemsThatItConcerns() {
    var gone = new LedgerEntry.Decline(null, "acme/ado", "repository", "/mnt/x is no folder");
    var elsewhere = new LedgerEntry.Decline(null, "acme/web", "repository", "no branch main");
    var broken =
        new LedgerEntry.Runner("r1", 1, "A", 4, null, null, List.of(elsewhere, gone), null);

    seeded(5, broken);
    assertThat(only())
        .isEqualTo(
            new Reason(
                Word.RUNNERS_REFUSE,
                "no runner accepts sessions: r1: repository: /mnt/x is no folder"));

    fold(runner("r2", null));
    assertThat(reasons(QUEUED, 0, wanted(null)))
        .extracting(Reason::reason)
        .containsExactly(Word.NEXT, Word.RUNNER_DECLINES);

    fold(new LedgerEntry.Runner("r1", 1, "A", 4, null, null, List.of(elsewhere), null));
    assertThat(only().reason()).as("another source's fault").isEqualTo(Word.NEXT);
  }

  @ParameterizedTest
  @CsvSource({
    "0, runner, pause tenant:acme, PAUSED AT_CAP",
    "3, spend, pause global, PAUSED NO_RUNNER",
    "1, runner, claim acme/ado/2 q2, AT_CAP QUEUED",
    "3, runner, pause source:acme/ado, PAUSED",
  })
  void reasonsThatHoldTogetherAreAllSaid(int cap, String first, String then, String words) {
    seeded(cap, entry(first), entry(then));

    assertThat(reasons(QUEUED, 0, wanted(null, ahead("acme/ado", null, 7))))
        .extracting(Reason::reason)
        .containsExactly(Stream.of(words.split(" ")).map(Word::valueOf).toArray(Word[]::new));
  }

  @Test
  void behindOthersOfItsTenantThatMayRun() {
    seeded(
        3,
        RUNNER,
        pause("source:acme/web", -1, null),
        new LedgerEntry.Pause("provider:openai", T.plusSeconds(60), -1, "r1", "rate limit"));

    WaitingRequest wanted =
        wanted(
            null,
            ahead("acme/web", null, 5_000),
            ahead("acme/ado", "openai", 300),
            ahead("acme/ado", null, 7));

    assertThat(only(wanted))
        .isEqualTo(
            new Reason(Word.QUEUED, "requests of tenant acme ahead, by priority and age: 7"));
  }

  @Test
  void whatNoRunnerHasTheAgentForIsNotAhead() {
    var deep = new WaitingRequest.Ahead("acme/ado", null, "deep", 9);

    seeded(3, RUNNER);
    assertThat(only(wanted(null, deep)).reason()).isEqualTo(Word.NEXT);

    fold(new LedgerEntry.Runner("r2", 1, "A", 4, null, List.of("deep"), null, null));
    assertThat(only(wanted(null, deep)).reason()).isEqualTo(Word.QUEUED);
  }

  @Test
  void aRequestThatIsNotReadIsNotCalledNext() {
    seeded(3, RUNNER);

    assertThat(only((WaitingRequest) null).reason()).isEqualTo(Word.ENDING);
    assertThat(only(new WaitingRequest("q0", null, List.of())).reason()).isEqualTo(Word.ENDING);
  }

  /**
   * @param scope that the reason names, null if it names none
   * @param detail a part of its text
   * @param entries of the ledger, after init with a cap of 2 and before the question
   */
  record Case(
      Word word,
      @Nullable String scope,
      String detail,
      ItemPhase phase,
      List<LedgerEntry> entries) {
    @Override
    public String toString() {
      return word.label() + " " + scope + " " + phase.word();
    }
  }

  /** Of an item that is queued: the reason, its scope, a part of its text, and the entries. */
  private static final String OF_QUEUED =
      """
      RUNS | | session s-q1 on r1 since 2026-11-21T10:00:00Z, attempt 1 | runner, claim acme/ado/1 q1
      ENDING | | request q1 already had its session | runner, claim acme/ado/1 q1, release s-q1
      AT_CAP | global | at cap: 2 of 2 sessions are live | runner, claim acme/web/2 q2, claim o/web/3 q3
      AT_CAP | tenant:acme | 1 of 1 | runner, cap tenant:acme, claim acme/w/2 q
      AT_CAP | source:acme/ado | 1 of 1 | runner, cap source:acme/ado, claim acme/ado/2 q
      AT_CAP | provider:anthropic | 1 of 1 | runner, cap provider:anthropic, claim o/w/2 q
      PAUSED | global | by ann | runner, pause global
      PAUSED | tenant:acme | by ann until 2026-11-21T10:01:00Z | runner, pause tenant:acme 60
      PAUSED | source:acme/ado | by ann | runner, pause source:acme/ado
      PROVIDER | provider:anthropic | by ann | runner, pause provider:anthropic
      PROVIDER | provider:anthropic | one by one | runner, pause provider:anthropic -9, claim o/w/2 q2
      BUDGET | global | spent | runner, dollars global, spend
      BUDGET | tenant:acme | 100 | runner, tokens tenant:acme, spend
      NO_RUNNER | | ever seen |
      RUNNERS_REFUSE | | r1: load | loaded
      NO_SOURCE | | acme/ado | declines unknown-source
      RUNNERS_REFUSE | | fix it | declines repository
      RUNNER_DECLINES | | fix it | runner, declines repository
      REQUESTS_LOST | | | runner
      UNKNOWN_RULES | | 99 | runner
      QUEUED | | ahead | runner
      NEXT | | | runner
      """;

  private static Case queued(String line) {
    String[] cells = Stream.of(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
    return new Case(
        Word.valueOf(cells[0]),
        cells[1].isEmpty() ? null : cells[1],
        cells[2],
        QUEUED,
        cells[3].isEmpty()
            ? List.of()
            : Stream.of(cells[3].split(", ")).map(WhyNotRunningTest::entry).toList());
  }

  private static LedgerEntry entry(String text) {
    String[] words = text.split(" ");
    String about = words.length > 1 ? words[1] : "";
    long seen = about.equals("global") ? 0 : -1;
    return switch (words[0]) {
      case "runner" -> RUNNER;
      case "loaded" -> runner("r1", "load");
      case "declines" -> declining(about);
      case "claim" -> claim(about, words[2], "s-" + words[2], "r1", "anthropic");
      case "release" -> release(about);
      case "cap" -> new LedgerEntry.Cap(about, 1, -1, "ann", "quiet");
      case "pause" ->
          pause(about, seen, words.length > 2 ? T.plusSeconds(Long.parseLong(words[2])) : null);
      case "dollars" ->
          new LedgerEntry.Budget(about, new Limits(1_000_000L, null), seen, "ann", "month");
      case "tokens" -> new LedgerEntry.Budget(about, new Limits(null, 100L), seen, "ann", "month");
      case "spend" -> new LedgerEntry.Spend("acme", "t1", 950_000, 100);
      default -> throw new IllegalArgumentException(text);
    };
  }

  static Stream<Case> cases() {
    var deep = new Route("deep", "r", null);
    var asked = new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, deep);
    var failed = new ItemPhase.Failed(ItemPhase.Attempts.FIRST, verdict(), T, "exit 1");
    return Stream.concat(
        OF_QUEUED.lines().map(WhyNotRunningTest::queued),
        Stream.of(
            settled("analyzed by session s1", new ItemPhase.Analyzed("s1")),
            settled("skipped: vague", new ItemPhase.Skipped("vague")),
            settled("dead: 3 attempts", new ItemPhase.Dead("3 attempts")),
            settled("cancelled: ann", new ItemPhase.Cancelled("ann")),
            settled("closed: fixed", new ItemPhase.Closed("fixed")),
            of(Word.TRIAGE, "seen", new ItemPhase.New()),
            of(
                Word.TRIAGE,
                "for the second time; checked again at " + T,
                new ItemPhase.Triaging("t", 2, 1, T, T)),
            of(Word.BACKING_OFF, "attempt 1 ended: exit 1", failed),
            of(
                Word.ENDING,
                "session s1 on r1 has just ended",
                new ItemPhase.Running(OUT, verdict(), "s1", "t:1", "r1", false)),
            of(Word.NO_PROFILE, "deep", new ItemPhase.Queued(asked, verdict()), RUNNER)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void theReasonIsTheRightOneAndNamesItsScope(Case made) {
    seeded(2, made.entries.toArray(LedgerEntry[]::new));
    if (made.word == Word.UNKNOWN_RULES) {
      String newer = ledger.snapshot().state().replaceFirst("\"rules\":1", "\"rules\":99");
      ledger = LedgerState.restore(new LedgerSnapshot(ledger.digest(), newer));
    }
    long ahead = made.word == Word.QUEUED ? 7 : 0;
    WaitingRequest wanted = wanted("anthropic", ahead("acme/ado", null, ahead));

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
          assertThat(reason.detail()).isNotBlank().contains(made.detail);
        });
  }

  @Test
  @DisplayName("no reason is missing in the table")
  void everyReasonIsMade() {
    Set<Word> made = cases().map(Case::word).collect(Collectors.toSet());
    made.add(noService().reason());

    assertThat(made).containsExactlyInAnyOrder(Word.values());
    assertThat(cases().<Class<?>>map(it -> it.phase.getClass()))
        .as("nor a state")
        .contains(ItemPhase.class.getPermittedSubclasses());
  }

  private static Reason noService() {
    return new ItemStatus("acme/ado/1", "t", "queued", List.of(), null, null)
        .withoutService("no service updates the data folder")
        .reasons()
        .getFirst();
  }

  private static Case of(Word word, String detail, ItemPhase phase, LedgerEntry... entries) {
    return new Case(word, null, detail, phase, List.of(entries));
  }

  private static Case settled(String detail, ItemPhase phase) {
    return of(Word.SETTLED, detail, phase);
  }

  private static LedgerEntry declining(String code) {
    var decline = new LedgerEntry.Decline(null, "acme/ado", code, "fix it");
    return new LedgerEntry.Runner("r2", 1, "A", 9, null, null, List.of(decline), null);
  }

  private static LedgerEntry pause(String scope, long seen, @Nullable Instant until) {
    return new LedgerEntry.Pause(scope, until, seen, "ann", "release");
  }

  private void seeded(int cap, LedgerEntry... entries) {
    ledger = LedgerState.empty();
    fold(new LedgerEntry.Init(cap, 45_000, List.of()));
    fold(entries);
  }

  private void fold(LedgerEntry... entries) {
    for (LedgerEntry entry : entries) {
      ledger = ledger.fold(entry, ledger.offset() + 1, T).state();
    }
  }

  private Reason only() {
    return only(0, wanted(null));
  }

  private Reason only(@Nullable WaitingRequest wanted) {
    return only(0, wanted);
  }

  private Reason only(long reserve, @Nullable WaitingRequest wanted) {
    List<Reason> reasons = reasons(QUEUED, reserve, wanted);
    assertThat(reasons).hasSize(1);
    return Objects.requireNonNull(reasons.getFirst());
  }

  private Reason one(ItemPhase phase) {
    List<Reason> reasons = reasons(phase, 0, null);
    assertThat(reasons).hasSize(1);
    return Objects.requireNonNull(reasons.getFirst());
  }

  private List<Reason> reasons(ItemPhase phase, long reserve, @Nullable WaitingRequest wanted) {
    return new WhyNotRunning(ledger, now, Map.of("default", reserve))
        .reasons(ITEM, state(phase), wanted, null);
  }

  private static WaitingRequest wanted(@Nullable String provider, WaitingRequest.Ahead... ahead) {
    return new WaitingRequest("q1", provider, List.of(ahead));
  }

  private static WaitingRequest.Ahead ahead(String source, @Nullable String provider, long count) {
    return new WaitingRequest.Ahead(source, provider, Route.DEFAULT, count);
  }

  private static LedgerEntry runner(String id, @Nullable String refusing) {
    return new LedgerEntry.Runner(id, 1, "A", 4, refusing, null, null, null);
  }

  private static LedgerEntry claim(
      String item, String request, String session, String runner, @Nullable String provider) {
    return new LedgerEntry.Claim(
        request,
        new Position(0, 0),
        1,
        ItemKey.parse(item),
        1,
        session,
        runner,
        provider,
        LedgerState.RULES,
        0);
  }

  private static LedgerEntry release(String session) {
    return new LedgerEntry.Release(
        session,
        Outcome.COMPLETED,
        null,
        null,
        0,
        null,
        Timings.ZERO,
        0,
        0,
        new Receipt("A", 1, 0, List.of(), 0),
        null);
  }

  private static Verdict verdict() {
    return Sample.verdict();
  }

  private static ItemState state(ItemPhase phase) {
    var snapshot = Sample.snapshot("Search is slow", "text");
    return Sample.state(snapshot, phase, 0, T);
  }
}
