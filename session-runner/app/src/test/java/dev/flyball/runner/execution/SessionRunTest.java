package dev.flyball.runner.execution;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Codex;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.session.End;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A session's thread, whatever goes wrong under it")
class SessionRunTest {
  @Test
  @DisplayName(
      "an error of the machine ends the tree, then the lease: never only the thread (S0-8)")
  void anErrorEndsTheTree() throws Exception {
    var looks = new AtomicInteger();
    var agent =
        new FakeAgent("", "") {
          @Override
          public Identity identity() {
            throw new OutOfMemoryError("unable to create native thread");
          }

          @Override
          public KillReport kill(KillLadder ladder) {
            if (looks.incrementAndGet() < 3) {
              throw new IllegalStateException("broken");
            }
            return super.kill(ladder);
          }
        };

    var session = new OneSession(agent);
    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(agent.kills).isNotEmpty();
    await("it ends like any other")
        .untilAsserted(
            () -> assertThat(session.end).containsExactly("released failed", "left", "closed"));
  }

  @Test
  @DisplayName("a stream that an error keeps from being read ends its session, with the reason")
  void anUnreadStreamEndsTheSession() throws Exception {
    var agent =
        new FakeAgent("", "") {
          @Override
          public InputStream out() {
            return new InputStream() {
              @Override
              public int read() {
                throw new OutOfMemoryError("Java heap space");
              }

              @Override
              public int read(byte[] bytes, int from, int length) {
                return read();
              }
            };
          }
        };

    LedgerEntry.Release release = new OneSession(agent).run();

    assertThat(release.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(release.reason()).startsWith(SessionRun.ERROR).contains("OutOfMemoryError");
    assertThat(agent.kills).isNotEmpty();
  }

  @Test
  @DisplayName(
      "the release names the agent, its session and its model, though nothing was answered")
  void theReleaseNamesItsAgent() throws Exception {
    var agent = FakeAgent.exited("{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n", "", 1);
    var codex = new Codex(null).session(Setup.DEFAULT);

    LedgerEntry.Release release = new OneSession(agent, new OneSession.Kind(codex, 1)).run();

    assertThat(release.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(release.run())
        .isEqualTo(new LedgerEntry.AgentRun("codex", "default", "t-1", "r1", false, null, "cut"));
  }

  @Test
  @DisplayName("a failure after the release reports no other end")
  void aFailureAfterTheReleaseReportsNoOtherEnd() throws Exception {
    var agent = FakeAgent.exited("answer", "", 0);
    var session = new OneSession(agent);
    session.rowBroken = new IllegalStateException("journal");

    session.run();

    await()
        .untilAsserted(() ->
            assertThat(session.end)
                .containsExactly("released completed", "left", "closed", "closed"));
  }

  @Test
  @DisplayName("a disk that hangs once the agent runs holds none of the session's clocks")
  void aHangingJournalHoldsNoWatch() throws Exception {
    var agent = FakeAgent.exited("answer", "", 0);
    var session = new OneSession(agent);
    session.disk = new CompletableFuture<>();

    assertThat(session.run().outcome()).isEqualTo(Outcome.COMPLETED);
    session.disk.complete(null);
  }

  @Test
  @DisplayName(
      "a tree that cannot be ended is said once while it lives, and that it ended: its slot and"
          + " lease stay meanwhile (INV-5)")
  void anUnkillableTreeIsSaid() throws Exception {
    var left = new AtomicInteger(2);
    var agent =
        new FakeAgent("", "") {
          @Override
          public KillReport kill(KillLadder ladder) {
            super.kill(ladder);
            return new KillReport(List.of("KILL"), left.get(), 3, 0);
          }
        };
    agent.exit.complete(new Exit(0, 0));
    var session = new OneSession(agent);
    session.steps().start(session.handle);

    await().until(() -> agent.kills.size() > 2);
    assertThat(session.trees.survivors()).isEqualTo(2);
    assertThat(session.released).isNotDone();
    assertThat(survivors(session)).containsExactly(entry(EventType.SESSION_KILLED, 2L));
    // The broker may have been away, and lost it.
    session.later = Duration.ofMinutes(10);
    await()
        .untilAsserted(() ->
            assertThat(survivors(session))
                .containsExactly(
                    entry(EventType.SESSION_KILLED, 2L), entry(EventType.SESSION_KILLED, 2L)));

    left.set(0);
    session.released.get(20, TimeUnit.SECONDS);

    assertThat(session.trees.survivors()).isZero();
    assertThat(survivors(session))
        .containsSubsequence(
            entry(EventType.SESSION_KILLED, 2L), entry(EventType.SESSION_ORPHAN_REAPED, 0L));
    assertThat(survivors(session).getLast().getValue()).isZero();
  }

  private static List<Map.Entry<EventType, Long>> survivors(OneSession session) {
    return List.copyOf(session.events).stream()
        .filter(event -> event.data().number(Field.SURVIVORS).isPresent())
        .map(event -> entry(event.type(), event.data().number(Field.SURVIVORS).getAsLong()))
        .toList();
  }

  @Test
  void theDeadmanGetsAPointInTime() throws Exception {
    var agent = FakeAgent.exited("answer", "", 0);
    Duration before = BootClock.sinceBoot();
    var session = new OneSession(agent);

    session.run();

    assertThat(session.until())
        .isBetween(before.plusSeconds(59), BootClock.sinceBoot().plusSeconds(60));
  }

  @Test
  @DisplayName("what an agent complains of goes on with its secrets redacted")
  void reasonsAreRedacted() throws Exception {
    var agent = FakeAgent.exited("", "fatal: token s3cret-value refused\n", 1);
    var session = new OneSession(agent);

    LedgerEntry.Release release = session.run();

    assertThat(release.reason()).contains("[redacted]").doesNotContain("s3cret-value");
    assertThat(session.events.toString()).doesNotContain("s3cret-value");
  }

  @Test
  @DisplayName("a secret in a last line that is too long to quote leaves no half of itself")
  void aCutReasonLeavesNoHalf() throws Exception {
    var agent = FakeAgent.exited("x".repeat(286) + " s3cret-value and more\n", "", 1);

    LedgerEntry.Release release = new OneSession(agent).run();

    assertThat(release.reason()).doesNotContain("s3cret").endsWith("...");
  }

  @Test
  @DisplayName("tokens without a price are booked with the whole reserve (INV-8)")
  void usageWithoutAPriceCostsTheReserve() throws Exception {
    String said =
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}\n";

    LedgerEntry.Release used = paid(said).run();
    LedgerEntry.Release unused = paid("").run();

    assertThat(used.tokens()).isEqualTo(9);
    assertThat(used.costMicros()).isEqualTo(500_000);
    assertThat(unused.costMicros()).isZero();
  }

  @Test
  @DisplayName("a paid agent that was killed before it reported anything costs its reserve (INV-8)")
  void aSessionKilledBeforeItReportedCostsTheReserve() throws Exception {
    var killed = new FakeAgent("", "");
    killed.exit.complete(new Exit(137, 9));
    OneSession stopped = paid(new FakeAgent("", ""));
    stopped.handle.stop(End.of(End.Cause.INTERRUPTED, "stopping"));
    var broken =
        new FakeAgent("", "") {
          @Override
          public Identity identity() {
            throw new OutOfMemoryError("unable to create native thread");
          }
        };

    assertThat(paid(killed).run().costMicros()).isEqualTo(500_000);
    assertThat(paid(broken).run().costMicros()).as("its thread failed").isEqualTo(500_000);
    assertThat(stopped.run().costMicros()).as("never started").isZero();
  }

  @Test
  @DisplayName("priced tokens are the cost, unless it ended before it had reported them (INV-8)")
  void pricedTokensAreTheCostOfATurnThatWasReported() throws Exception {
    String used =
        "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":7,\"output_tokens\":2}}\n";
    String failed =
        "{\"type\":\"turn.started\"}\n"
            + "{\"type\":\"item.completed\",\"item\":{\"type\":\"reasoning\"}}\n"
            + "{\"type\":\"turn.failed\",\"error\":{\"message\":\"stream disconnected\"}}\n";

    for (Exit exit : List.of(new Exit(0, 0), new Exit(137, 9))) {
      assertThat(priced(said(used, exit)).run().costMicros()).isEqualTo(7 * 3 + 2 * 5);
      assertThat(priced(said(failed, exit)).run().costMicros()).isEqualTo(500_000);
    }
  }

  private static FakeAgent said(String lines, Exit exit) {
    var agent = new FakeAgent(lines, "");
    agent.exit.complete(exit);
    return agent;
  }

  @Test
  @DisplayName("an exhausted account stops its provider until it is resumed, and uses no attempt")
  void anExhaustedAccountStopsItsProvider() throws Exception {
    OneSession session =
        paid("{\"type\":\"turn.failed\",\"error\":{\"message\":\"insufficient_quota\"}}\n");

    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.reason()).startsWith(LedgerEntry.Pause.ACCOUNT_EXHAUSTED);
    assertThat(release.costMicros()).isZero();
    assertThat(session.refusals)
        .singleElement()
        .asString()
        .startsWith("openai until null: " + LedgerEntry.Pause.ACCOUNT_EXHAUSTED);
  }

  @Test
  @DisplayName("a time to wait that a provider names begins at the broker's time")
  void aLimitsTimeToWaitBeginsAtTheBrokersTime() throws Exception {
    OneSession session =
        paid(
            "{\"type\":\"turn.failed\",\"error\":{\"message\":\"You've hit your usage limit. Try"
                + " again in 3 hours.\"}}\n");

    assertThat(session.run().outcome()).isEqualTo(Outcome.INTERRUPTED);

    Instant end = OneSession.LEDGER_NOW.plus(Duration.ofHours(3));
    assertThat(session.refusals)
        .singleElement()
        .asString()
        .startsWith("openai until " + end + ": ");
  }

  private static OneSession paid(String said) {
    var agent = FakeAgent.exited(said, "", 1);
    return paid(agent);
  }

  /** Of an agent whose input and output tokens cost 3 and 5 micro-dollars each. */
  private static OneSession priced(FakeAgent agent) {
    var profile =
        new AgentProfile(
            "priced",
            new Codex(null),
            List.of(),
            List.of(),
            List.of(),
            new TokenPrices(3_000_000, 5_000_000, 0),
            null,
            AgentProfile.Bounds.USUAL);
    var kind = new OneSession.Kind(profile.session(DeepPrompt.BUNDLED, List.of(), 0), 500_000);
    return new OneSession(agent, kind);
  }

  private static OneSession paid(FakeAgent agent) {
    return new OneSession(
        agent, new OneSession.Kind(new Codex(null).session(Setup.DEFAULT), 500_000));
  }
}
