package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.runner.agent.Codex;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.session.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("One clock covers placing and starting; a permit goes back only when nothing can live")
class StartAttemptTest {
  private static final long RESERVE = 500_000;

  private final FakeAgent agent = new FakeAgent("", "");

  // S4-4
  @Test
  void aHungRepositoryGivesItsPermitBackAndIsLeftWhenItAnswers() throws Exception {
    OneSession session = session();
    session.lease = Duration.ofMillis(150);
    session.repository = new CompletableFuture<>();

    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.failure())
        .as("the runner declines the source, before the mount takes its other slots")
        .isEqualTo(new Failure(Failure.Kind.RUNNER, Failure.REPOSITORY));
    assertThat(release.receipt()).isEqualTo(Receipt.notStarted());
    assertThat(release.costMicros()).isZero();
    assertThat(session.trees.hanging()).as("shown by health").isOne();

    session.repository.complete(null);
    await().untilAsserted(() -> assertThat(session.trees.hanging()).isZero());
    assertThat(session.left).hasValue(1);
    assertThat(session.startedUntil).as("nothing was forked").isNull();
  }

  @Test
  void aTreeHasMoreTimeToBeWritten() throws Exception {
    OneSession session = session();
    session.lease = Duration.ofMillis(150);
    session.tree = new CompletableFuture<>();
    session.steps().start(session.handle);
    session.writes.get(20, TimeUnit.SECONDS);
    session.later = Duration.ofMinutes(9);
    int looks = session.clockReads.get();
    await().until(() -> session.clockReads.get() > looks + 2);
    session.later = Duration.ZERO;
    agent.exit.complete(new ContainedProcess.Exit(0, 0));

    session.tree.complete(null);

    assertThat(session.released.get(20, TimeUnit.SECONDS).receipt().level())
        .as("its agent was started")
        .isEqualTo("A");
  }

  @Test
  void cancellingWorksWhileTheRepositoryHangs() throws Exception {
    OneSession session = session();
    session.lease = Duration.ofMinutes(10);
    session.repository = new CompletableFuture<>();
    session.handle.stop(End.of(End.Cause.UNWANTED, "cancelled by ann"));

    assertThat(session.run().outcome()).isEqualTo(Outcome.CANCELLED);
    session.repository.complete(null);
  }

  @Test
  void aHungForkKeepsItsPermitUntilItsDeadmanWouldRefuseToRunAndIsEndedWhenItReturns()
      throws Exception {
    long now = System.nanoTime();
    long fenceAt = now + TimeUnit.MILLISECONDS.toNanos(600);
    long deadmanAt = now + TimeUnit.MILLISECONDS.toNanos(900);
    OneSession session = session(fenceAt, deadmanAt);
    session.lease = Duration.ofMillis(30);
    session.fork = new CompletableFuture<>();

    LedgerEntry.Release release = session.run();

    assertThat(System.nanoTime())
        .as("the lease's end: the start limit had passed long before")
        .isGreaterThanOrEqualTo(now + TimeUnit.MILLISECONDS.toNanos(1_200));
    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.receipt()).as("no runner could see").isEqualTo(Receipt.unknown());
    assertThat(release.costMicros()).as("it may have run").isEqualTo(RESERVE);
    assertThat(agent.kills).isEmpty();

    session.fork.complete(null);
    await().untilAsserted(() -> assertThat(session.trees.hanging()).isZero());
    assertThat(agent.kills).isNotEmpty();
    assertThat(session.handle.live()).isEmpty();
    assertThat(session.left).hasValue(1);
  }

  @Test
  void aForkThatReturnsInTimeIsASessionLikeAnyOther() throws Exception {
    OneSession session = session();
    session.fork = new CompletableFuture<>();
    session.steps().start(session.handle);
    await().untilAsserted(() -> assertThat(session.startedUntil).isNotNull());
    session.handle.stop(End.of(End.Cause.UNWANTED, "cancelled by ann"));
    assertThat(session.released).as("its process may come yet").isNotDone();

    session.fork.complete(null);

    assertThat(session.released.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(Outcome.CANCELLED);
    assertThat(agent.kills).as("killed and verified before the release").isNotEmpty();
    assertThat(session.trees.hanging()).isZero();
  }

  @Test
  void anErrorAfterTheForkKeepsThePermitUntilItsTreeIsVerifiedDead() throws Exception {
    OneSession session = session();
    session.lackingAtFork = new OutOfMemoryError("unable to create native thread");
    session.remains.set(2);
    session.steps().start(session.handle);

    await().until(() -> session.trees.survivors() == 2);
    session.later = Duration.ofHours(1);
    int looks = session.clockReads.get();
    await().until(() -> session.clockReads.get() > looks + 2);
    assertThat(session.released).as("past its start limit and its lease").isNotDone();

    session.remains.set(0);
    LedgerEntry.Release release = session.released.get(20, TimeUnit.SECONDS);

    assertThat(session.trees.survivors()).isZero();
    assertThat(release.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(release.receipt()).isEqualTo(Receipt.unknown());
    assertThat(release.costMicros()).as("it may have run").isEqualTo(RESERVE);
    await().untilAsserted(() -> assertThat(session.end).endsWith("left", "closed"));
  }

  @Test
  void aTreeThatCanNeitherBeEndedNorSeenIsReportedAsOneThatSurvives() throws Exception {
    OneSession session = session();
    session.lackingAtFork = new OutOfMemoryError("unable to create native thread");
    session.unverified = new UncheckedIOException(new IOException("/proc cannot be read"));
    session.steps().start(session.handle);

    await().until(() -> session.trees.survivors() == 1);
    assertThat(session.released).isNotDone();

    session.unverified = null;
    session.released.get(20, TimeUnit.SECONDS);

    assertThat(session.trees.survivors()).isZero();
    assertThat(session.events.stream().map(LifecycleEvent::type))
        .containsOnlyOnce(EventType.SESSION_KILLED, EventType.SESSION_ORPHAN_REAPED);
  }

  // S1-9
  @Test
  void theRowIsWrittenBeforeTheProcessIsForked() throws Exception {
    OneSession session = session();
    agent.exit.complete(new ContainedProcess.Exit(0, 0));

    session.run();

    assertThat(session.start).containsExactly("row", "forked");
  }

  // S1-9
  @Test
  void aRowThatCannotBeWrittenForksNothing() throws Exception {
    OneSession session = session();
    session.rowRefused = new IOException("no space left on device");

    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.receipt()).isEqualTo(Receipt.notStarted());
    assertThat(session.start).as("without a row no sweep would find its tree").isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "claude, not-found, agent-program",
    "/opt/agent, not-executable, agent-program",
    "tools/agent.sh, not-found, agent-program-of-source",
    "claude, no-directory, repository",
    "claude, user, agent-user",
    "claude, cgroup, cgroup"
  })
  @DisplayName(
      "an agent that cannot be started is a fault of the runner, which names what it meets")
  void whatCannotBeStartedIsARunnersFault(String program, String why, String code)
      throws Exception {
    var session =
        new OneSession(agent, new OneSession.Kind(new Command(program).session(Setup.DEFAULT), 0));
    session.refusal = new CannotStart(why, "because");

    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.failure()).isEqualTo(new Failure(Failure.Kind.RUNNER, code));
    assertThat(release.reason()).isEqualTo("because");
  }

  @Test
  void aFailureBeforeAnythingWasStartedUsesNoAttempt() throws Exception {
    OneSession session = session();
    session.lackingBefore = new OutOfMemoryError("unable to create native thread");

    LedgerEntry.Release release = session.run();

    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    assertThat(release.receipt()).isEqualTo(Receipt.notStarted());
    assertThat(release.costMicros()).isZero();
    assertThat(session.startedUntil).isNull();
  }

  private OneSession session() {
    return session(OneSession.inAMinute(), OneSession.inAMinute());
  }

  private OneSession session(long fenceAt, long deadmanAt) {
    return new OneSession(
        agent,
        fenceAt,
        deadmanAt,
        new OneSession.Kind(new Codex(null).session(Setup.DEFAULT), RESERVE));
  }
}
