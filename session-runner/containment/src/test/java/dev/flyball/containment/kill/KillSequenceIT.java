package dev.flyball.containment.kill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("The kill ladder's signals, on a process that prints which it got")
class KillSequenceIT {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void anAgentThatEndsByAnInterruptGetsNoOtherSignal() throws Exception {
    Agent agent = agent("trap 'echo INT; exit' INT; trap 'echo TERM; exit' TERM");

    KillReport report = new KillSequence(agent).kill(new KillLadder(LONG, LONG, LONG));

    assertThat(report.steps()).containsExactly("INT");
    assertThat(agent.printed()).containsExactly("INT");
  }

  @Test
  void anAgentThatGoesOnAfterAnInterruptIsTerminated() throws Exception {
    Agent agent = agent("trap 'echo INT' INT; trap 'echo TERM; exit' TERM");

    KillReport report =
        new KillSequence(agent).kill(new KillLadder(Duration.ofMillis(500), LONG, LONG));

    assertThat(report.steps()).containsExactly("INT", "TERM");
    assertThat(agent.printed()).containsExactly("INT", "TERM");
  }

  @Test
  void aStoppedAgentIsContinuedSoThatItCanEnd() throws Exception {
    Agent agent = agent("trap 'echo TERM; exit' TERM");
    Kernel.signal((int) agent.process.pid(), Kernel.STOP);

    KillReport report = new KillSequence(agent).kill(new KillLadder(Duration.ZERO, LONG, LONG));

    assertThat(report.steps()).containsExactly("TERM");
    assertThat(agent.printed()).containsExactly("TERM");
  }

  @Test
  void aKillWithoutWaitsEndsTheWaitsOfAnother() throws Exception {
    Agent agent = agent("trap '' INT; trap 'echo TERM' TERM");
    var sequence = new KillSequence(agent);
    Thread waiting =
        Thread.ofVirtual()
            .start(() -> sequence.kill(new KillLadder(Duration.ZERO, Duration.ofHours(1), LONG)));
    await().until(() -> agent.out.ready());

    assertThat(sequence.kill(KillLadder.now(LONG)).steps()).containsExactly("TERM", "KILL");
    waiting.join();
  }

  @Test
  void aTreeWithASurvivorIsScannedAgain() throws Exception {
    Agent agent = agent("trap '' TERM");
    agent.spared = true;
    var sequence = new KillSequence(agent);
    assertThat(sequence.kill(KillLadder.now(Duration.ofMillis(50))).survivors()).isEqualTo(1);

    agent.spared = false;

    assertThat(sequence.kill(KillLadder.now(LONG)).survivors()).isZero();
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
      // A shell that starts the build with & lets it ignore INT; no shell may trap what it inherits
      // so.
      process =
          new ProcessBuilder(
                  "env",
                  "--default-signal=INT",
                  "sh",
                  "-c",
                  traps + "; echo ready; while :; do sleep 0.05; done")
              .start();
      out = process.inputReader();
      assertThat(out.readLine()).isEqualTo("ready");
    }

    List<String> printed() throws Exception {
      process.waitFor(1, TimeUnit.MINUTES);
      return out.lines().toList();
    }

    @Override
    public List<ProcessEntry> members(ProcessTable table) {
      return agent(table).stream().toList();
    }

    @Override
    public Optional<ProcessEntry> agent(ProcessTable table) {
      return table.find((int) process.pid()).filter(ProcessEntry::alive);
    }

    @Override
    public void killAll(ProcessTable table) {
      if (!spared) {
        process.destroyForcibly();
      }
    }

    @Override
    public List<ProcessEntry> survivors(ProcessTable table) {
      return members(table);
    }

    @Override
    public boolean running() {
      return process.isAlive();
    }
  }
}
