package dev.flyball.runner.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Exit;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("How many process trees lived at the same time, whatever the ledger says")
class LiveTreesTest {
  private final LiveTrees trees = new LiveTrees();

  @Test
  void sessionsAtOnceAreCountedUntilTheyEnd() throws Exception {
    var first = new FakeAgent("answer", "");
    var second = new FakeAgent("answer", "");
    OneSession one = started(first, 1);
    OneSession other = started(second, 2);
    await().untilAsserted(() -> assertThat(trees.most()).isEqualTo(2));
    first.exit.complete(new Exit(0, 0));
    second.exit.complete(new Exit(0, 0));
    ended(one);
    ended(other);

    ended(started(FakeAgent.exited("answer", "", 0), 3));

    assertThat(trees.most()).isEqualTo(2);
  }

  @Test
  void anAgentThatCannotBeStartedHasNoTree() throws Exception {
    var session = session(FakeAgent.exited("answer", "", 0), 1);
    session.refusal = new IOException("agent x not executable; chmod +x it");
    session.steps().start(session.handle);

    ended(session);

    assertThat(trees.most()).isZero();
  }

  @Test
  @DisplayName("S0-3: processes of live trees are counted, and of ended ones no more")
  void processesOfLiveTreesAreCounted() throws Exception {
    var searching = FakeAgent.large();
    OneSession session = started(searching, 1);
    await().untilAsserted(() -> assertThat(trees.processes()).isEqualTo(70));

    searching.exit.complete(new Exit(0, 0));
    ended(session);

    assertThat(trees.processes()).isZero();
    trees.counted(OneSession.ID + 1, 70);
    assertThat(trees.processes()).isZero();
  }

  private OneSession started(FakeAgent agent, int number) {
    OneSession session = session(agent, number);
    session.steps().start(session.handle);
    return session;
  }

  private OneSession session(FakeAgent agent, int number) {
    return new OneSession(agent, OneSession.ID + number, trees);
  }

  private static void ended(OneSession session) throws Exception {
    session.released.get(20, TimeUnit.SECONDS);
  }
}
