package dev.flyball.producer.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.poll.PollState;
import dev.flyball.tracker.RequestPermission;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S2-3, S2-4: a poller asks nothing more once another could have taken over")
class PollPermissionTest {
  private final AtomicLong now = new AtomicLong(seconds(1_000));
  private final PollPermission permission = new PollPermission(PollClocks.DEFAULT, now::get);

  @Test
  void nothingMayBeAskedBeforeTheLeaseIsWritten() {
    assertThat(permission.isLost()).isTrue();
    assertThatThrownBy(permission::check).isInstanceOf(RequestPermission.PermissionLost.class);
  }

  @Test
  void aRequestIsBegunOnlyIfItEndsBeforeTheLease() {
    permission.renew(now.get());

    now.addAndGet(seconds(150) - 1);
    assertThatCode(permission::check).doesNotThrowAnyException();
    now.addAndGet(1);
    assertThatThrownBy(permission::check).isInstanceOf(RequestPermission.PermissionLost.class);
    assertThat(permission.isLost()).isTrue();
  }

  @Test
  void aFailedWriteTakesItAwayAtOnceAndTheNextSuccessGivesItBack() {
    permission.renew(now.get());
    permission.lose();
    assertThatThrownBy(permission::check).isInstanceOf(RequestPermission.PermissionLost.class);

    permission.renew(now.get());
    assertThatCode(permission::check).doesNotThrowAnyException();
  }

  @Test
  void aStoppingProducerAsksNothingMore() {
    permission.renew(now.get());
    permission.stop();

    assertThatThrownBy(permission::check).isInstanceOf(RequestPermission.PermissionLost.class);
    assertThat(permission.isLost()).as("the lease itself is held").isFalse();
  }

  @Test
  void noWitnessTakesOverWhileARequestMayBeOpen() {
    var witness = new PollWitness(PollClocks.DEFAULT.lease());
    permission.renew(now.get());
    witness.observe(
        new PollState("holder", 1, 1, null, Instant.EPOCH, null, null, null), now.get());
    long lastRequest = now.get();
    while (!permission.isLost()) {
      lastRequest = now.getAndAdd(seconds(1));
    }

    long itsEnd = lastRequest + permission.limit().toNanos();
    assertThat(witness.holder("witness", itsEnd)).isPresent();
  }

  @Test
  void whoGivesTheLeaseBackSeesAPollThatIsStillAsking() {
    assertThat(permission.<Boolean>during(permission::isInUse)).isTrue();
    assertThat(permission.isInUse()).isFalse();
  }

  private static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }
}
