package dev.flyball.producer.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.poll.PollState;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-1, S2-2, S2-4: the poll lease is taken over by silence, never by a clock")
class PollWitnessTest {
  private final PollWitness witness = new PollWitness(Duration.ofMinutes(3));

  @Test
  void aSourceThatWasNeverPolledIsFree() {
    witness.observe(null, 0);

    assertThat(witness.holder("me", 0)).isEmpty();
  }

  @Test
  void aRenewingHolderKeepsItsLease() {
    for (int beat = 0; beat < 10; beat++) {
      witness.observe(state("other", 4, beat), seconds(beat * 60L));
      assertThat(witness.holder("me", seconds(beat * 60L + 59)))
          .contains(new PollWitness.Held("other", Duration.ofSeconds(121)));
    }
  }

  @Test
  void aSilentHolderIsReplacedAfterAFullLeaseOnTheWitnessClock() {
    witness.observe(state("other", 4, 9), seconds(1_000));
    witness.observe(state("other", 4, 9), seconds(1_100));

    assertThat(witness.holder("me", seconds(1_179))).isPresent();
    assertThat(witness.holder("me", seconds(1_180))).isEmpty();
  }

  @Test
  void anotherHolderOrItsNextLeaseIsASignOfLife() {
    witness.observe(state("other", 4, 9), seconds(1_000));
    witness.observe(state("next", 4, 9), seconds(1_100));
    assertThat(witness.holder("me", seconds(1_180)))
        .contains(new PollWitness.Held("next", Duration.ofSeconds(100)));

    witness.observe(state("next", 5, 9), seconds(1_200));
    assertThat(witness.holder("me", seconds(1_280)))
        .contains(new PollWitness.Held("next", Duration.ofSeconds(100)));
  }

  @Test
  void aRecordThatWasGoneIsSeenForTheFirstTimeAgain() {
    witness.observe(state("other", 4, 9), seconds(1_000));
    witness.observe(null, seconds(1_050));
    witness.observe(state("other", 4, 9), seconds(1_100));

    assertThat(witness.holder("me", seconds(1_180)))
        .contains(new PollWitness.Held("other", Duration.ofSeconds(100)));
  }

  @Test
  void aLeaseThatWasGivenBackAndOnesOwnAreFreeAtOnce() {
    witness.observe(state(PollWitness.NO_OWNER, 7, 3), 0);
    assertThat(witness.holder("me", 1)).isEmpty();
    witness.observe(state("me", 8, 0), 2);
    assertThat(witness.holder("me", 3)).isEmpty();
  }

  private static PollState state(String owner, long epoch, long beat) {
    return new PollState(owner, epoch, beat, null, Instant.EPOCH, null, null, null);
  }

  private static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
