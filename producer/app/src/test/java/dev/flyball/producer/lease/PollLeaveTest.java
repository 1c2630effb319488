package dev.flyball.producer.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.poll.PollState;
import dev.flyball.tracker.Leave;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-3, S2-4: a poller asks nothing more once another could have taken over")
class PollLeaveTest {
  private final AtomicLong now = new AtomicLong(seconds(1_000));
  private final PollLeave leave = new PollLeave(PollClocks.DEFAULT, now::get);

  @Test
  void nothingMayBeAskedBeforeTheLeaseIsWritten() {
    assertThat(leave.isLost()).isTrue();
    assertThatThrownBy(leave::check).isInstanceOf(Leave.LeaveLost.class);
  }

  @Test
  void aRequestIsBegunOnlyIfItEndsBeforeTheLease() {
    leave.renew(now.get());

    now.addAndGet(seconds(150) - 1);
    assertThatCode(leave::check).doesNotThrowAnyException();
    now.addAndGet(1);
    assertThatThrownBy(leave::check)
        .isInstanceOf(Leave.LeaveLost.class)
        .hasMessageContaining("not renewed in time");
  }

  @Test
  void everyBeatProlongsIt() {
    for (int beat = 0; beat < 10; beat++) {
      leave.renew(now.get());
      now.addAndGet(seconds(60));
      assertThatCode(leave::check).doesNotThrowAnyException();
    }
  }

  @Test
  void aFailedWriteTakesItAwayAtOnceAndTheNextSuccessGivesItBack() {
    leave.renew(now.get());
    leave.lose();
    assertThatThrownBy(leave::check).isInstanceOf(Leave.LeaveLost.class);

    leave.renew(now.get());
    assertThatCode(leave::check).doesNotThrowAnyException();
  }

  @Test
  void aStoppingProducerAsksNothingMore() {
    leave.renew(now.get());
    leave.stop();

    assertThatThrownBy(leave::check).hasMessage("the producer stops");
  }

  @Test
  void noWitnessTakesOverWhileARequestMayBeOpen() {
    var witness = new PollWitness(PollClocks.DEFAULT.lease());
    leave.renew(now.get());
    witness.observe(new PollState("holder", 1, 1, null, Instant.EPOCH, null), now.get());
    long lastRequest = now.get();
    while (!leave.isLost()) {
      lastRequest = now.getAndAdd(seconds(1));
    }

    long itsEnd = lastRequest + leave.limit().toNanos();
    assertThat(witness.status("witness", itsEnd)).isInstanceOf(LeaseStatus.Held.class);
  }

  @Test
  void whoGivesTheLeaseBackSeesAPollThatIsStillAsking() {
    assertThat(leave.<Boolean>during(leave::isInUse)).isTrue();
    assertThat(leave.isInUse()).isFalse();
  }

  private static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
