package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecodedTest {
  @Test
  void aRecordIsAValueATombstoneOrUnreadableAndNeverAnException() {
    assertThat(reading("{\"entry\":\"rules\",\"n\":2}"))
        .isEqualTo(new Decoded.Value<>(new LedgerEntry.Rules(2)));
    assertThat(reading(null)).isEqualTo(new Decoded.Deleted<>());
    assertThat(reading("[]")).isInstanceOf(Decoded.Unreadable.class);
    assertThat(reading("")).isInstanceOf(Decoded.Unreadable.class);
  }

  private static Decoded<LedgerEntry> reading(@Nullable String value) {
    byte[] bytes = value == null ? null : value.getBytes(StandardCharsets.UTF_8);
    return Decoded.of(new ConsumerRecord<>("t", 0, 0, "k", bytes), LedgerEntry.class);
  }
}
