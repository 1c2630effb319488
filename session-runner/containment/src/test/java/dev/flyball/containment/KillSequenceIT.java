package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.ProcessTable.Entry;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("The kill ladder's signals, on a process that says which it got")
class KillSequenceIT {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void anInterruptThatEndsTheAgentIsAllItGets() throws Exception {
    Agent agent = agent("trap 'echo INT; exit' INT; trap 'echo TERM; exit' TERM");

    KillReport report = new KillSequence(agent).climb(new KillLadder(LONG, LONG, LONG));

    assertThat(report.steps()).containsExactly("INT");
    assertThat(agent.said()).containsExactly("INT");
  }

  @Test
  void oneThatGoesOnAfterAnInterruptIsTerminated() throws Exception {
    Agent agent = agent("trap 'echo INT' INT; trap 'echo TERM; exit' TERM");

    KillReport report =
        new KillSequence(agent).climb(new KillLadder(Duration.ofMillis(500), LONG, LONG));

    assertThat(report.steps()).containsExactly("INT", "TERM");
    assertThat(agent.said()).containsExactly("INT", "TERM");
  }

  @Test
  void aStoppedOneIsWokenSoThatItCanEnd() throws Exception {
    Agent agent = agent("trap 'echo TERM; exit' TERM");
    Kernel.signal((int) agent.process.pid(), Kernel.STOP);

    KillReport report = new KillSequence(agent).climb(new KillLadder(Duration.ZERO, LONG, LONG));

    assertThat(report.steps()).containsExactly("TERM");
    assertThat(agent.said()).containsExactly("TERM");
  }

  @Test
  void onePatientLadderIsHurriedByAnother() throws Exception {
    Agent agent = agent("trap '' INT; trap 'echo TERM' TERM");
    var climb = new KillSequence(agent);
    Thread patient =
        Thread.ofVirtual()
            .start(() -> climb.climb(new KillLadder(Duration.ZERO, Duration.ofHours(1), LONG)));
    await().until(() -> agent.out.ready());

    assertThat(climb.climb(KillLadder.now(LONG)).steps()).containsExactly("TERM", "KILL");
    patient.join();
  }

  @Test
  void aTreeWithASurvivorIsLookedAtAgain() throws Exception {
    Agent agent = agent("trap '' TERM");
    agent.spared = true;
    var climb = new KillSequence(agent);
    assertThat(climb.climb(KillLadder.now(Duration.ofMillis(50))).survivors()).isEqualTo(1);

    agent.spared = false;

    assertThat(climb.climb(KillLadder.now(LONG)).survivors()).isZero();
  }

  private Agent agent(String traps) throws IOException {
    var agent = new Agent(traps);
    started.add(agent.process);
    return agent;
  }

  /** A tree of one process. */
  private static final class Agent implements KillSequence.Tree {
    final Process process;
    final BufferedReader out;
    volatile boolean spared;

    Agent(String traps) throws IOException {
      process =
          new ProcessBuilder("sh", "-c", traps + "; echo ready; while :; do sleep 0.05; done")
              .start();
      out = process.inputReader();
      assertThat(out.readLine()).isEqualTo("ready");
    }

    List<String> said() throws Exception {
      process.waitFor(1, TimeUnit.MINUTES);
      return out.lines().toList();
    }

    @Override
    public List<Entry> members(ProcessTable table) {
      return main(table);
    }

    @Override
    public List<Entry> main(ProcessTable table) {
      return table.find((int) process.pid()).filter(Entry::alive).stream().toList();
    }

    @Override
    public void killAll(ProcessTable table) {
      if (!spared) {
        process.destroyForcibly();
      }
    }

    @Override
    public List<Entry> left(ProcessTable table) {
      return main(table);
    }

    @Override
    public boolean sure() {
      return true;
    }

    @Override
    public int cleanLooks() {
      return 1;
    }

    @Override
    public boolean running() {
      return process.isAlive();
    }
  }
}
