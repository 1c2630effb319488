package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import java.time.Duration;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RejectedAppendsTest {
  private final RejectedAppends refused = new RejectedAppends();

  @Test
  void anEntryThatIsTooLargeIsCountedAndNamedWithItsSize() {
    refused.answered(new LedgerEntry.Rules(1), new RecordTooLargeException("too large"));

    assertThat(refused.count()).isOne();
    assertThat(refused.lately(Duration.ofDays(1)).orElseThrow())
        .contains("Rules")
        .contains("23 bytes")
        .contains("too large");
    assertThat(refused.lately(Duration.ofNanos(-1))).isEmpty();
  }

  @Test
  void aReleaseThatIsTooLargeIsReplacedByAShortOneOfTheSameOutcome() {
    LedgerEntry.Release release = release("s1");
    assertThat(refused.sendable(release)).isEqualTo(release);

    refused.answered(release, new RecordTooLargeException("too large"));

    var other = (LedgerEntry.Release) refused.sendable(release);
    assertThat(other.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(other.tokens()).isEqualTo(7);
    assertThat(RecordJson.bytes(other)).hasSizeLessThan(500);
    assertThat(refused.sendable(release("s2"))).isEqualTo(release("s2"));
    refused.closed("s1");
    assertThat(refused.sendable(release)).isEqualTo(release);
  }

  private static LedgerEntry.Release release(String session) {
    return new LedgerEntry.Release(
        session,
        Outcome.FAILED,
        "why ".repeat(400),
        new Failure(Failure.Kind.PERMANENT, "output-limit"),
        1,
        null,
        Timings.ZERO,
        7,
        0,
        Receipt.notStarted());
  }

  @Test
  void aRetriableFailureIsNoRejection() {
    refused.answered(new LedgerEntry.Rules(1), null);
    refused.answered(new LedgerEntry.Rules(1), new TimeoutException("5 s"));
    refused.answered(new LedgerEntry.Rules(1), new IllegalStateException("closed"));
    refused.answered(new LedgerEntry.Rules(1), new OutOfOrderSequenceException("restarted"));

    assertThat(refused.count()).isZero();
    assertThat(refused.lately(Duration.ofDays(1))).isEmpty();
  }
}
