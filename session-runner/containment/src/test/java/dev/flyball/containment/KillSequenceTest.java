package dev.flyball.containment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ProcessTable.Entry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("INV-5: a tree is dead only after checks that could have seen it")
class KillSequenceTest {
  private static final Duration ENOUGH = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(200);

  @Test
  void sureLooksThatFindNothingAreEnough() {
    assertThat(climb(ENOUGH, true, true).survivors()).isZero();
  }

  @Test
  void unsureLooksAreNotCounted() {
    assertThat(climb(ENOUGH, false, true, false, true).survivors()).isZero();
  }

  // A process that always moved on before it was read lived, and the report said 0.
  @Test
  void looksThatNeverCouldTellAreASurvivor() {
    assertThat(climb(SHORT, false).survivors()).isEqualTo(1);
  }

  @Test
  void oneSureLookOfTwoIsASurvivorToo() {
    assertThat(climb(SHORT, true, false).survivors()).isEqualTo(1);
  }

  /** Climbs over an empty tree whose looks are as sure as told; the last word is repeated. */
  private static ContainedProcess.KillReport climb(Duration limit, Boolean... sure) {
    Deque<Boolean> looks = new ArrayDeque<>(List.of(sure));
    return new KillSequence(new EmptyTree(looks)).climb(KillLadder.now(limit));
  }

  private record EmptyTree(Deque<Boolean> looks) implements KillSequence.Tree {
    @Override
    public List<Entry> members(ProcessTable table) {
      return List.of();
    }

    @Override
    public List<Entry> main(ProcessTable table) {
      return List.of();
    }

    @Override
    public void killAll(ProcessTable table) {
      throw new AssertionError("there is nothing to kill");
    }

    @Override
    public List<Entry> left(ProcessTable table) {
      return List.of();
    }

    @Override
    public boolean sure() {
      return looks.size() > 1 ? looks.removeFirst() : looks.getFirst();
    }

    @Override
    public int cleanLooks() {
      return 2;
    }

    @Override
    public boolean running() {
      return false;
    }
  }
}
