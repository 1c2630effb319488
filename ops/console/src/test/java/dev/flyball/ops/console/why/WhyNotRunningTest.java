package dev.flyball.ops.console.why;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.Word;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The reasons, as the ledger and the item's state give them. */
final class WhyNotRunningTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");
  private static final ItemKey ITEM = ItemKey.parse("acme/ado/1");
  private static final Verdict VERDICT = Sample.verdict();
  private static final ItemPhase.Outstanding OUT =
      new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, null);
  private static final ItemPhase QUEUED = new ItemPhase.Queued(OUT, VERDICT);

  /**
   * Of an item that is queued: its reasons, the scope of the last one, a part of its text, what
   * waits, and what happened since the ledger began with a cap of 2.
   *
   * <p>What waits is the item's request with the provider anthropic, or {@code free}: without a
   * provider; {@code unread}: none; {@code other}: another one; else the requests before it.
   */
  private static final List<String> CASES =
      """
      RUNS | | session s-q1 on r1 since 2026-11-21T10:00:00Z, attempt 1 | | runner, claim acme/ado/1 q1
      ENDING | | request q1 already had its session | | runner, claim acme/ado/1 q1, release s-q1
      AT_CAP | global | at cap: 2 of 2 sessions are live | | runner, claim acme/web/2 q2, claim o/web/3 q3
      AT_CAP | global | global cap is 0: no session may start | | runner, cap global 0
      AT_CAP | tenant:acme | 1 of 1 | | runner, cap tenant:acme 1, claim acme/w/2 q
      AT_CAP | source:acme/ado | 1 of 1 | | runner, cap source:acme/ado 1, claim acme/ado/2 q
      AT_CAP | provider:anthropic | 1 of 1 | | runner, cap provider:anthropic 1, claim o/w/2 q
      PAUSED | global | by ann | | runner, pause global
      PAUSED | tenant:acme | tenant:acme paused by ann until 2026-11-21T10:01:00Z: release | | runner, pause tenant:acme 60
      NEXT | | | | runner, pause tenant:acme 60, at 60
      PAUSED | source:acme/ado | by ann | | runner, pause source:acme/ado
      PROVIDER | provider:anthropic | by ann until 2026-11-21T10:01:00Z | | runner, pause provider:anthropic 60
      NEXT | | | free | runner, pause provider:anthropic 60
      PROVIDER | provider:anthropic | one by one | | runner, pause provider:anthropic -9, claim o/w/2 q2
      BUDGET | global | 0.95 USD spent | | runner, dollars global, spend 950000
      BUDGET | global | 0.900001 USD spent | | runner, dollars global, spend 900001
      NEXT | | | | runner, dollars global, spend 900000
      BUDGET | tenant:acme | 100 | | runner, tokens tenant:acme, spend 950000
      BUDGET | global | | | runner reserves=300000, runner id=r2 reserves=200000, dollars global, spend 900000
      NEXT | | | | runner reserves=99999, runner id=r2 reserves=300000, dollars global, spend 900001
      NO_RUNNER | | no runner was ever seen | |
      NEXT | | | | runner, at 90
      NO_RUNNER | | the last one was seen at 2026-11-21T10:00:00Z | | runner, at 91
      RUNNERS_REFUSE | | no runner accepts sessions: r1: load, r2: 1 of 1 slots taken | | runner refusing=load, runner id=r2 slots=1, claim acme/ado/2 q2 r2
      NEXT | | | | runner refusing=load, runner id=r3
      NO_SOURCE | | no runner knows source acme/ado | | runner declines=acme/ado:unknown-source
      RUNNERS_REFUSE | | no runner accepts sessions: r1: repository: fix it | | runner declines=acme/ado:repository
      NEXT RUNNER_DECLINES | | left to other runners: r2: repository: fix it | | runner, runner id=r2 declines=acme/ado:repository
      NEXT | | | | runner, runner id=r2 declines=acme/web:repository
      REQUESTS_LOST | | | | runner, lost
      UNKNOWN_RULES | | 99 | | runner, rules
      QUEUED | | requests of tenant acme ahead, by priority and age: 7 | acme/ado - default 7 | runner
      QUEUED | | by priority and age: 7 | acme/web - default 5000, acme/ado openai default 300, acme/ado - default 7 | runner, pause source:acme/web, pause provider:openai 60
      NEXT | | | acme/ado - deep 9 | runner
      QUEUED | | | acme/ado - deep 9 | runner, runner id=r2 profiles=deep
      NEXT | | | | runner
      ENDING | | not read yet | unread | runner
      ENDING | | not read yet | other | runner
      PAUSED AT_CAP | global | | acme/ado - default 7 | cap global 0, runner, pause tenant:acme
      PAUSED NO_RUNNER | | | acme/ado - default 7 | spend 1, pause global
      AT_CAP QUEUED | | | acme/ado - default 7 | cap global 1, runner, claim acme/ado/2 q2
      PAUSED | source:acme/ado | | acme/ado - default 7 | runner, pause source:acme/ado
      """
          .lines()
          .toList();

  private LedgerState ledger = LedgerState.empty();
  private Instant now = T.plusSeconds(1);
  private @Nullable LostTail lost;

  @ParameterizedTest
  @FieldSource("CASES")
  void aQueuedItemSaysWhatHoldsItUp(String line) {
    String[] cells = cells(line);

    List<Reason> reasons = reasons(QUEUED, cells[3], cells[4]);

    assertThat(reasons).extracting(Reason::reason).isEqualTo(words(cells[0]));
    Reason last = reasons.getLast();
    assertThat(last.scope()).isEqualTo(cells[1].isEmpty() ? null : cells[1]);
    if (last.reason() == Word.NEXT) {
      assertThat(last.detail()).isEqualTo("nothing blocks it: a runner claims it in a moment");
    } else {
      assertThat(last.detail()).isNotBlank().contains(cells[2]);
    }
  }

  @Test
  void aPauseSaysWhenItEnds() {
    assertThat(reasons(QUEUED, "", "runner, pause tenant:acme 60").getFirst().until())
        .isEqualTo(T.plusSeconds(60));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NO_PROFILE | no runner has profile deep | runner",
        "RUNNERS_REFUSE | r1: has no profile deep, r2: load |"
            + " runner, runner id=r2 profiles=deep refusing=load",
        "RUNNER_DECLINES | left to other runners: r1: has no profile deep |"
            + " runner, runner id=r2 profiles=deep",
      })
  void onlyRunnersWithTheAgentThatTheRequestAsksForCount(Word word, String text, String entries) {
    var route = new Route("deep", "routes[0]: complexity 4", null);
    var out = new ItemPhase.Outstanding("q1", ItemPhase.Attempts.FIRST, T, null, route);
    var deep = new ItemPhase.Queued(out, VERDICT);

    Reason last = reasons(deep, "unread", entries).getLast();

    assertThat(last.reason()).isEqualTo(word);
    assertThat(last.detail()).contains(text);
    assertThat(WhyNotRunning.route(deep)).isEqualTo(route);
  }

  /** Of the other states: the reason, its whole text, and the state. */
  record Case(Word word, String detail, ItemPhase phase) {}

  static List<Case> others() {
    return List.of(
        new Case(Word.SETTLED, "analyzed by session s1", new ItemPhase.Analyzed("s1")),
        new Case(Word.SETTLED, "skipped: vague", new ItemPhase.Skipped("vague")),
        new Case(Word.SETTLED, "dead: 3 attempts", new ItemPhase.Dead("3 attempts")),
        new Case(Word.SETTLED, "cancelled: ann", new ItemPhase.Cancelled("ann")),
        new Case(Word.SETTLED, "closed: fixed", new ItemPhase.Closed("fixed")),
        new Case(Word.TRIAGE, "seen, not yet sent to triage", new ItemPhase.New()),
        new Case(
            Word.TRIAGE,
            "asked whether it deserves a session since %s, for the second time; checked again at %s"
                .formatted(T, T),
            new ItemPhase.Triaging("t", 2, 1, T, T)),
        new Case(
            Word.BACKING_OFF,
            "attempt 1 ended: exit 1",
            new ItemPhase.Failed(ItemPhase.Attempts.FIRST, VERDICT, T, "exit 1")),
        new Case(
            Word.ENDING,
            "session s1 on r1 has just ended",
            new ItemPhase.Running(OUT, VERDICT, "s1", "t:1", "r1", false)));
  }

  @ParameterizedTest
  @MethodSource("others")
  void anItemThatIsNotQueuedSaysHowItStands(Case other) {
    assertThat(reasons(other.phase, "", ""))
        .extracting(Reason::reason, Reason::detail)
        .containsExactly(tuple(other.word, other.detail));
  }

  @Test
  @DisplayName("no reason and no state is missing in the tables")
  void everyReasonIsMade() {
    var made = EnumSet.of(Word.NO_PROFILE);
    CASES.forEach(line -> made.addAll(words(cells(line)[0])));
    others().forEach(each -> made.add(each.word));
    new ItemStatus("acme/ado/1", "t", "queued", List.of(), null, null)
        .withoutService("no service updates the data folder")
        .reasons()
        .forEach(each -> made.add(each.reason()));

    assertThat(made).containsExactlyInAnyOrder(Word.values());
    assertThat(others().stream().<Class<?>>map(it -> it.phase.getClass()))
        .containsAll(
            Stream.of(ItemPhase.class.getPermittedSubclasses())
                .filter(it -> it != ItemPhase.Queued.class)
                .toList());
  }

  private List<Reason> reasons(ItemPhase phase, String waits, String entries) {
    fold(new LedgerEntry.Init(2, 45_000, List.of()));
    Stream.of(entries.split(", ")).filter(it -> !it.isEmpty()).forEach(this::happens);
    return new WhyNotRunning(ledger, now, Map.of(Route.DEFAULT, 100_000L))
        .reasons(
            ITEM,
            Sample.state(Sample.snapshot("Search is slow", "text"), phase, 0, T),
            waiting(waits),
            lost);
  }

  private static @Nullable WaitingRequest waiting(String text) {
    return switch (text) {
      case "" -> new WaitingRequest("q1", "anthropic", List.of());
      case "free" -> new WaitingRequest("q1", null, List.of());
      case "unread" -> null;
      case "other" -> new WaitingRequest("q0", null, List.of());
      default ->
          new WaitingRequest(
              "q1", null, Stream.of(text.split(", ")).map(WhyNotRunningTest::ahead).toList());
    };
  }

  private static WaitingRequest.Ahead ahead(String text) {
    String[] words = text.split(" ");
    return new WaitingRequest.Ahead(
        words[0], words[1].equals("-") ? null : words[1], words[2], Long.parseLong(words[3]));
  }

  private void happens(String text) {
    String[] words = text.split(" ");
    String about = words.length > 1 ? words[1] : "";
    long amount = words.length > 2 && words[2].matches("-?\\d+") ? Long.parseLong(words[2]) : 0;
    long seen = ledger.lastOperator(about);
    switch (words[0]) {
      case "at" -> now = T.plusSeconds(Long.parseLong(about));
      case "lost" -> lost = new LostTail(0, 1, 2);
      case "rules" ->
          ledger =
              LedgerState.restore(
                  new LedgerSnapshot(
                      ledger.digest(),
                      ledger.snapshot().state().replaceFirst("\"rules\":1", "\"rules\":99")));
      case "runner" -> fold(runner(words));
      case "claim" -> fold(claim(about, words[2], words.length > 3 ? words[3] : "r1"));
      case "release" -> fold(Sample.release(about));
      case "cap" -> fold(new LedgerEntry.Cap(about, (int) amount, seen, "ann", "quiet"));
      case "pause" -> {
        Instant until = amount == 0 ? null : T.plusSeconds(amount);
        fold(new LedgerEntry.Pause(about, until, seen, "ann", "release"));
      }
      case "dollars" ->
          fold(new LedgerEntry.Budget(about, new Limits(1_000_000L, null), seen, "ann", "month"));
      case "tokens" ->
          fold(new LedgerEntry.Budget(about, new Limits(null, 100L), seen, "ann", "month"));
      case "spend" -> fold(new LedgerEntry.Spend("acme", "t1", Long.parseLong(about), 100));
      default -> throw new IllegalArgumentException(text);
    }
  }

  private void fold(LedgerEntry entry) {
    ledger = ledger.fold(entry, ledger.offset() + 1, T).state();
  }

  /** With 4 slots and nothing else, except for what is given as {@code name=value}. */
  private static LedgerEntry runner(String[] words) {
    Map<String, String> given =
        Stream.of(words)
            .filter(word -> word.contains("="))
            .map(word -> word.split("="))
            .collect(Collectors.toMap(it -> it[0], it -> it[1]));
    String profile = given.get("profiles");
    String reserve = given.get("reserves");
    var declines = new ArrayList<LedgerEntry.Decline>();
    if (given.containsKey("declines")) {
      String[] decline = given.get("declines").split(":");
      declines.add(new LedgerEntry.Decline(null, decline[0], decline[1], "fix it"));
    }
    return new LedgerEntry.Runner(
        given.getOrDefault("id", "r1"),
        1,
        "A",
        Integer.parseInt(given.getOrDefault("slots", "4")),
        given.get("refusing"),
        profile == null ? null : List.of(profile),
        declines,
        reserve == null ? null : Map.of(Route.DEFAULT, Long.valueOf(reserve)));
  }

  private static LedgerEntry claim(String item, String request, String runner) {
    return Sample.with(
        Sample.claim(item, request, "s-" + request),
        Map.of("runner", runner, "provider", "anthropic"));
  }

  private static String[] cells(String line) {
    return Stream.of(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
  }

  private static List<Word> words(String text) {
    return Stream.of(text.split(" ")).map(Word::valueOf).toList();
  }
}
