package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Duration;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RejectedAppendsTest {
  private final StepExecutor.Rejections refused = new StepExecutor.Rejections();

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
  void aRetriableFailureIsNoRejection() {
    refused.answered(new LedgerEntry.Rules(1), null);
    refused.answered(new LedgerEntry.Rules(1), new TimeoutException("5 s"));
    refused.answered(new LedgerEntry.Rules(1), new IllegalStateException("closed"));
    refused.answered(new LedgerEntry.Rules(1), new OutOfOrderSequenceException("restarted"));

    assertThat(refused.count()).isZero();
    assertThat(refused.lately(Duration.ofDays(1))).isEmpty();
  }
}
