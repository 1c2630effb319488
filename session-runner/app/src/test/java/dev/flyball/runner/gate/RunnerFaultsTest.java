package dev.flyball.runner.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry.Decline;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.gate.RunnerFaults.Asked;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.gate.RunnerFaults.Fault;
import dev.flyball.runner.session.End;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The faults of a runner, and what it declines for them")
class RunnerFaultsTest {
  private static final Course SILENT = new Course(true, false, true);
  private static final Course SPOKE = new Course(true, true, true);
  private static final Course NOT_STARTED = new Course(false, false, false);
  private static final End DONE = new End(Outcome.COMPLETED, null, null);
  private static final End EXIT_1 = failed(Kind.TRANSIENT, "exit-code");

  private final RunnerFaults faults = new RunnerFaults();
  private long now;
  private int sessions;

  @ParameterizedTest
  @CsvSource({
    "agent-login, true, true, false, false",
    "agent-program, true, true, false, false",
    "agent-program-of-source, true, false, false, false",
    "repository, true, false, true, false",
    "data-folder, true, true, true, true",
    "disk-full, true, true, true, true",
    "agent-user, true, true, true, true",
    "never-heard-of, true, true, true, true"
  })
  @DisplayName("a fault shuts what it concerns, and nothing else")
  void aFaultHasAScope(
      String code, boolean same, boolean otherSource, boolean otherProfile, boolean unrelated) {
    meets(code, "deep", "acme/web/1");

    assertThat(faults.declines("deep", "acme/web")).isEqualTo(same);
    assertThat(faults.declines("deep", "acme/api")).isEqualTo(otherSource);
    assertThat(faults.declines("default", "acme/web")).isEqualTo(otherProfile);
    assertThat(faults.declines("default", "globex/api")).isEqualTo(unrelated);
    assertThat(faults.declined()).extracting(Decline::code).containsExactly(code);
  }

  @Test
  @DisplayName("each pause is twice as long, from 10 s to 10 min")
  void thePauseDoubles() {
    meets("repository", "default", "acme/web/1");
    for (long seconds : new long[] {10, 20, 40, 80, 160, 320, 600, 600, 600}) {
      now += Duration.ofSeconds(seconds).toNanos() - 1;
      reopen();
      assertThat(faults.declines("default", "acme/web")).as("before %d s", seconds).isTrue();
      now += 1;
      reopen();
      assertThat(faults.declines("default", "acme/web")).as("after %d s", seconds).isFalse();
      meets("repository", "default", "acme/web/1");
    }
    assertThat(faults.declines("default", "acme/web")).isTrue();
  }

  @Test
  @DisplayName("after the pause one session decides, and no other starts meanwhile")
  void oneSessionDecides() {
    meets("repository", "default", "acme/web/1");
    pass(10);
    assertThat(faults.declines("default", "acme/web")).isFalse();

    Asked trial = begins("default", "acme/web/2");
    assertThat(faults.declines("default", "acme/web")).isTrue();

    faults.works(trial, true, false);
    assertThat(faults.all()).as("its agent was started, so the repository is there").isEmpty();
    faults.ended(trial, EXIT_1, SILENT, now);
    assertThat(faults.declines("default", "acme/web")).isFalse();
  }

  @Test
  @DisplayName("while a start hangs in a mount, no other is sent after it for ten minutes more")
  void aHangingStartKeepsItsScopeShut() {
    meets("repository", "default", "acme/web/1");
    now += Duration.ofSeconds(10).plus(RunnerFaults.LONGEST).toNanos() - 1;
    faults.reopen(now, "s1"::equals);
    assertThat(faults.declines("default", "acme/web")).isTrue();

    faults.reopen(now + 1, "s1"::equals);
    assertThat(faults.declines("default", "acme/web")).isFalse();
  }

  @Test
  @DisplayName("a login is over only when its agent has used a token")
  void aStartDoesNotShowALogin() {
    meets("agent-login", "default", "acme/web/1");
    pass(10);
    Asked trial = begins("default", "acme/web/2");

    faults.works(trial, true, false);
    assertThat(faults.declines("default", "acme/web")).isTrue();
    faults.works(trial, true, true);
    assertThat(faults.all()).isEmpty();
  }

  @Test
  @DisplayName("a trial that meets another scope's fault leaves both as they are")
  void aTrialMayMeetAnotherFault() {
    meets("agent-login", "default", "acme/web/1");
    pass(10);
    Asked trial = begins("default", "acme/api/1");

    faults.ended(trial, runner("repository"), NOT_STARTED, now);

    assertThat(faults.declines("default", "acme/api")).isTrue();
    assertThat(faults.declines("default", "acme/web")).as("the next may decide").isFalse();
    assertThat(faults.all()).extracting(Fault::times).containsExactly(1, 1);
  }

  @Test
  @DisplayName("three different items in a row without a token are the profile's fault, not theirs")
  void silenceIsTheProfiles() {
    assertThat(ends("acme/web/1", EXIT_1, SILENT)).isEqualTo(EXIT_1);
    assertThat(ends("acme/web/2", failed(Kind.PERMANENT, "anything"), SILENT))
        .as("not permanent before the row has decided")
        .isEqualTo(failed(Kind.TRANSIENT, "anything"));
    End third = ends("globex/api/3", EXIT_1, SILENT);

    assertThat(third.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(third.failure()).isEqualTo(new Failure(Kind.RUNNER, RunnerFaults.NO_ANSWERS));
    assertThat(third.text()).contains(EXIT_1.text());
    assertThat(faults.declines("default", "acme/web")).isTrue();
    assertThat(faults.declines("deep", "acme/web")).isFalse();
  }

  @Test
  @DisplayName("a permanent failure is one once another item was answered")
  void permanentOnceAnotherSpoke() {
    End rejected = failed(Kind.PERMANENT, Failure.INVALID_REQUEST);

    assertThat(ends("acme/web/1", rejected, SILENT).failure())
        .isEqualTo(new Failure(Kind.TRANSIENT, Failure.INVALID_REQUEST));
    ends("acme/web/good", DONE, SPOKE);
    assertThat(ends("acme/web/1", rejected, SILENT)).isEqualTo(rejected);
  }

  @Test
  @DisplayName("an answer of an older session shows that silence was not the profile's fault")
  void anOlderSessionMayClearAGuess() {
    Asked older = begins("default", "acme/web/good");
    silence(3);
    assertThat(faults.declines("default", "acme/web")).isTrue();

    faults.ended(older, DONE, SPOKE, now);

    assertThat(faults.all()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "POISON, bad-item, true",
    "PROVIDER, provider-limit, true",
    "TRANSIENT, unknown-session, true",
    "TRANSIENT, exit-code, false"
  })
  @DisplayName("an end that speaks of the item, the provider or a limit is in no row")
  void whatSaysSomethingIsInNoRow(Kind kind, String code, boolean bySelf) {
    for (int i = 0; i < 10; i++) {
      End end = failed(kind, code);
      assertThat(ends("acme/web/" + i, end, new Course(true, false, bySelf))).isEqualTo(end);
    }
    assertThat(faults.all()).isEmpty();
  }

  @Test
  @DisplayName("only the session that decides ends a fault, by starting or at its end")
  void nothingElseEndsAFault() {
    Asked before = begins("default", "acme/web/0");
    meets("repository", "default", "acme/web/1");
    pass(10);
    Asked trial = begins("default", "acme/web/2");

    faults.works(before, true, true);
    faults.ended(before, DONE, SPOKE, now);
    assertThat(faults.declines("default", "acme/web")).isTrue();
    faults.ended(trial, EXIT_1, SILENT, now);
    assertThat(faults.all()).as("its agent was started").isEmpty();
  }

  @Test
  @DisplayName("an answer of another profile, or of before, ends no fault that is not a guess")
  void anAnswerEndsAGuessOfItsProfileOnly() {
    Asked before = begins("deep", "acme/web/good");
    silence(3);
    meets("agent-login", "deep", "acme/web/1");

    faults.ended(before, DONE, SPOKE, now);

    assertThat(faults.all())
        .extracting(Fault::code)
        .containsExactly(RunnerFaults.NO_ANSWERS, "agent-login");
  }

  @Test
  @DisplayName("what an older session leaves undone changes nothing for the one that decides")
  void theOneThatDecidesStays() {
    Asked older = begins("default", "acme/web/0");
    meets("agent-login", "default", "acme/web/1");
    pass(10);
    begins("deep", "acme/web/7");
    assertThat(faults.declines("default", "acme/web")).as("it is of another profile").isFalse();
    Asked trial = begins("default", "acme/web/2");
    Asked late = begins("default", "acme/web/3");

    faults.over(late.session());
    faults.over(older.session());
    pass(10_000);
    assertThat(faults.declines("default", "acme/web")).isTrue();
    faults.over(trial.session());
    assertThat(faults.declines("default", "acme/web")).isFalse();
  }

  @Test
  @DisplayName("what was met before does not prolong the pause; its reason is the newest")
  void thePauseBeginsOnce() {
    Asked older = begins("default", "acme/web/0");
    meets("agent-login", "default", "acme/web/1");
    now += Duration.ofSeconds(9).toNanos();
    faults.ended(older, runner("agent-login"), NOT_STARTED, now);

    pass(1);

    assertThat(faults.declines("default", "acme/web")).isFalse();
    assertThat(faults.all()).extracting(Fault::last).containsExactly(older.session());
  }

  @Test
  @DisplayName("what a runner declines and what it says of it end with the pause")
  void onlyAPauseIsDeclined() {
    meets("agent-login", "default", "acme/web/1");
    Fault shut = faults.all().iterator().next();
    assertThat(shut.text()).startsWith(shut.what()).contains("agent-login", "because", "10 s");

    pass(10);

    assertThat(faults.declined()).isEmpty();
    assertThat(faults.all().iterator().next().text())
        .startsWith(shut.what())
        .doesNotContain("10 s");
    begins("default", "acme/web/2");
    assertThat(faults.declined()).hasSize(1);
  }

  @Test
  @DisplayName(
      "one silent session that decides about a profile is enough, about a folder it is not")
  void aSilentTrial() {
    meets("agent-login", "default", "acme/web/1");
    pass(10);
    Asked trial = begins("default", "acme/web/2");
    Asked other = begins("default", "acme/web/3");
    assertThat(faults.ended(other, EXIT_1, SILENT, now)).isEqualTo(EXIT_1);
    assertThat(faults.ended(trial, EXIT_1, SILENT, now).outcome()).isEqualTo(Outcome.INTERRUPTED);

    meets("repository", "deep", "acme/api/1");
    pass(1_000);
    Asked ofFolder = begins("deep", "acme/api/2");
    assertThat(faults.ended(ofFolder, EXIT_1, SILENT, now)).isEqualTo(EXIT_1);
  }

  @ParameterizedTest
  @CsvSource({"FAILED, true", "TIMED_OUT, true", "CANCELLED, false", "INTERRUPTED, false"})
  @DisplayName("a row is of sessions that failed")
  void aRowIsOfFailures(Outcome outcome, boolean counts) {
    silence(2);
    var end = new End(outcome, new Failure(Kind.TRANSIENT, "exit-code"), "why");

    ends("acme/web/third", end, SILENT);

    assertThat(faults.all().isEmpty()).isNotEqualTo(counts);
  }

  @Test
  @DisplayName("an item at fault waits only for a fault that concerns it")
  void anItemAtFaultWaits() {
    silence(1);
    ends("acme/web/good", DONE, SPOKE);
    ItemKey atFault = ItemKey.parse("acme/web/0");
    meets("repository", "default", "acme/api/1");
    assertThat(faults.lastResort("default", atFault)).isFalse();

    meets("agent-login", "default", "acme/web/2");

    assertThat(faults.lastResort("default", atFault)).isTrue();
    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/9"))).isFalse();
    assertThat(faults.lastResort("deep", atFault)).isFalse();
  }

  @Test
  @DisplayName("the oldest of a thousand faults, and of many silent items, is forgotten")
  void whatIsRememberedIsBounded() {
    for (int i = 0; i <= 1_000; i++) {
      meets("repository", "default", "acme/source-" + i + "/1");
    }
    assertThat(faults.all()).hasSize(1_000);
    assertThat(faults.declines("default", "acme/source-0")).isFalse();
    assertThat(faults.declines("default", "acme/source-1")).isTrue();

    silence(64);
    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/0"))).isTrue();
    ends("acme/web/64", EXIT_1, SILENT);
    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/0"))).isFalse();
    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/1"))).isTrue();
  }

  @Test
  @DisplayName("of the items at fault a thousand are remembered")
  void itemsAtFaultAreBounded() {
    for (int i = 0; i <= 1_000; i++) {
      ends("acme/web/" + i, EXIT_1, SILENT);
      ends("acme/web/good", DONE, SPOKE);
    }
    meets("agent-login", "default", "acme/web/x");

    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/0"))).isFalse();
    assertThat(faults.lastResort("default", ItemKey.parse("acme/web/1"))).isTrue();
  }

  private End ends(String item, End end, Course course) {
    return faults.ended(begins("default", item), end, course, now);
  }

  private void silence(int items) {
    for (int i = 0; i < items; i++) {
      ends("acme/web/" + i, EXIT_1, SILENT);
    }
  }

  private void meets(String code, String profile, String item) {
    faults.ended(begins(profile, item), runner(code), NOT_STARTED, now);
  }

  private Asked begins(String profile, String item) {
    var asked = new Asked("s" + ++sessions, ItemKey.parse(item), profile);
    faults.began(asked);
    return asked;
  }

  private void pass(long seconds) {
    now += Duration.ofSeconds(seconds).toNanos();
    reopen();
  }

  private void reopen() {
    faults.reopen(now, session -> false);
  }

  private static End runner(String code) {
    return new End(Outcome.INTERRUPTED, new Failure(Kind.RUNNER, code), "because");
  }

  private static End failed(Kind kind, String code) {
    return new End(Outcome.FAILED, new Failure(kind, code), "exit 1");
  }
}
