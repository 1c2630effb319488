package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which transactions doctor calls open, and how. */
final class TransactionCheckTest {
  private static final TopicPartition ITEMS = new TopicPartition("flyball.work-items", 2);
  private static final TopicPartition POLLS = new TopicPartition("flyball.poll-state", 0);

  @Test
  @DisplayName("a transaction that ended and one after it are two: no command waits for either")
  void oneThatMovedIsNotOpen() {
    assertThat(TransactionCheck.stillOpen(Map.of(ITEMS, 4L, POLLS, 7L), Map.of(ITEMS, 9L)))
        .isEmpty();
  }

  @Test
  @DisplayName("one at the same offset as before is the same")
  void oneThatStandsStillIsOpen() {
    assertThat(TransactionCheck.stillOpen(Map.of(ITEMS, 4L), Map.of(ITEMS, 4L, POLLS, 7L)))
        .isEqualTo(Map.of(ITEMS, 4L));
  }

  @Test
  @DisplayName("several are named by the first one and counted")
  void severalAreCounted() {
    assertThat(TransactionCheck.finding(Map.of(ITEMS, 4L, POLLS, 7L)).found())
        .startsWith(
            "open for more than 5 s in flyball.poll-state-0 since offset 7 and in 1 more: ");
  }
}
