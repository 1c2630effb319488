package dev.flyball.containment.kill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("INV-5: a tree is dead only after checks that could have seen it")
class KillSequenceTest {
  private static final Duration ENOUGH = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  @Test
  void conclusiveScansThatFindNothingAreEnough() {
    assertThat(kill(ENOUGH, true, true).survivors()).isZero();
  }

  @Test
  void inconclusiveScansAreNotCounted() {
    assertThat(kill(ENOUGH, false, true, false, true).survivors()).isZero();
  }

  // A process that always moved to another pid before it was read lived, and the report had 0.
  @Test
  void scansThatAreNeverConclusiveAreASurvivor() {
    assertThat(kill(SHORT, false).survivors()).isEqualTo(1);
  }

  @Test
  void oneConclusiveScanOfTwoIsASurvivorToo() {
    assertThat(kill(SHORT, true, false).survivors()).isEqualTo(1);
  }

  @Test
  void aWardenThatProvedThatNothingIsLeftSavesTheScans() {
    var sequence = new KillSequence(new EmptyTree(new ArrayDeque<>(), true));

    assertThat(sequence.kill(KillLadder.now(ENOUGH)))
        .isEqualTo(new ContainedProcess.KillReport(List.of(), 0, 0, 0));
  }

  /** Kills an empty tree with scans of this conclusiveness; the last one is repeated. */
  private static ContainedProcess.KillReport kill(Duration limit, Boolean... conclusive) {
    Deque<Boolean> scans = new ArrayDeque<>(List.of(conclusive));
    return new KillSequence(new EmptyTree(scans, false)).kill(KillLadder.now(limit));
  }

  private record EmptyTree(Deque<Boolean> scans, boolean provedEmpty) implements KillSequence.Tree {
    @Override
    public List<ProcessEntry> members(ProcessTable table) {
      return List.of();
    }

    @Override
    public Optional<ProcessEntry> agent(ProcessTable table) {
      return Optional.empty();
    }

    @Override
    public void killAll(ProcessTable table) {
      throw new AssertionError("there is nothing to kill");
    }

    @Override
    public List<ProcessEntry> survivors(ProcessTable table) {
      return List.of();
    }

    @Override
    public boolean conclusive() {
      return scans.size() > 1 ? scans.removeFirst() : scans.getFirst();
    }

    @Override
    public int requiredScans() {
      return 2;
    }

    @Override
    public boolean running() {
      return false;
    }
  }
}
